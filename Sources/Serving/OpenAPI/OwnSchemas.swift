/// Schemas of what is this service's own, and no other protocol's.
enum OwnSchemas {
    private static let image = RouteDescription.Content.json("StoredImage").schema

    static let all: [(name: String, text: String)] = [
        (
            "LogForm",
            #"{"type":"object","properties":{"log":{"type":"string","contentMediaType":"application/octet-stream"},"text":{"type":"string"},"share":{"type":"string","enum":["yes"]}}}"#
        ),
        (
            "SymbolicatedReport",
            #"{"type":"object","required":["schema","log","format","threads","images"],"properties":{"schema":{"type":"integer"},"log":{"type":"string"},"format":{"type":"string"},"threads":{"type":"array"},"images":{"type":"array"}}}"#
        ),
        (
            "Upload",
            #"{"type":"object","required":["added","known"],"properties":{"#
                + ["added", "known", "different"].map { "\"\($0)\":{\"type\":\"array\",\"items\":\(image)}" }.joined(separator: ",")
                + #","error":{"type":"string"}}}"#
        ),
        (
            "StoredImage",
            #"{"type":"object","required":["id","kind"],"properties":{"id":{"type":"string"},"kind":{"type":"string","enum":["debug","symbols"]},"file":{"type":"string"}}}"#
        ),
        (
            "DebuginfodMetadata",
            #"{"type":"object","required":["results","complete"],"properties":{"results":{"type":"array","items":{"type":"object","required":["type","buildid","file"],"properties":{"type":{"type":"string","enum":["executable","debuginfo"]},"buildid":{"type":"string"},"file":{"type":"string"},"archive":{"type":"string"}}}},"complete":{"type":"boolean"}}}"#
        ),
    ]
}
