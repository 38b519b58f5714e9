import BinaryPrimitives
import CrashLogModel
import Testing

@testable import BatchProcessing

/// Members of a record, and errors for records without a log.
struct StreamRequestTests {
    private func content(_ line: String) throws(StreamError) -> String {
        switch try StreamRequest(.line(Array(line.utf8))).content {
        case .bytes(let bytes): "bytes " + String(decoding: bytes, as: UTF8.self)
        case .path(let path): "path " + path
        }
    }

    @Test(arguments: [
        (#"{"log":"a\nb"}"#, "bytes a\nb"), (#" { "key" : 1 , "log" : "" } "#, "bytes "), (#"{"path":"/x/y"}"#, "path /x/y"),
        // RFC 4648, section 10; then without padding, and with line breaks, as Spark's base64() has
        // them.
        (#"{"bytes":"Zm9vYmE="}"#, "bytes fooba"), (#"{"bytes":"Zm9vYg"}"#, "bytes foob"), (#"{"bytes":"Zm9v\r\nYmFy"}"#, "bytes foobar"),
        (#"{"bytes":""}"#, "bytes "), (#"{"other":[{"log":"inner"}],"log":"outer","more":null}"#, "bytes outer"),
        (#"{"log":"\ud83d\ude00 \u0000"}"#, "bytes 😀 \0"), (#"{"log":"first","log":"second"}"#, "bytes first"),
    ])
    func `one of three members is the log`(line: String, expected: String) throws { #expect(try content(line) == expected) }

    @Test(arguments: [
        "", " ", "\r", "{", "{}", "[]", "1", "null", "\"log\"", #"{"log":1}"#, #"{"log":null}"#, #"{"log":"a","path":"b"}"#,
        #"{"path":""}"#,
        #"{"path":"-"}"#, #"{"path":"a\u0000b"}"#, #"{"bytes":"Zm9v*"}"#, #"{"bytes":"Z"}"#, #"{"log":"a"} x"#, #"{"log":"a",}"#,
        #"{'log':"a"}"#,
        #"{"log":"a"#, #"{"log":"\x"}"#, "{\"log\":\"a\tb\"}", #"{"log":word}"#, #"{"log" "a"}"#,
        String(repeating: "[", count: 100_000),
        #"{"a":"# + String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000) + #","log":""}"#,
        #"{"log":"","a":["# + String(repeating: "1,", count: 20_000) + "1]}",
    ])
    func `what is no such record is refused`(line: String) {
        #expect(throws: StreamError.self) { try content(line) }
        let reply = StreamReply(StreamError(.input, "wrong\nhere"), of: .line(Array(line.utf8)))
        #expect(reply.isError && reply.line.last == 0x0A && reply.line.count { $0 == 0x0A } == 1)
        let document = try? JSONGrammar.document(reply.line.span)
        #expect(document?["error"]?["kind"]?.string == "input")
    }

    @Test func `broken UTF-8 is refused, and a key before it is kept`() {
        let line = Array(#"{"key":"a","log":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(throws: StreamError.self) { try StreamRequest(.line(line)) }
        #expect(StreamKeys(.line(line)).members.map { String(decoding: $0.value, as: UTF8.self) } == [#""a""#])
        let key = Array(#"{"key":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(StreamKeys(.line(key)).members.isEmpty)
    }

    /// Keys are the input's own bytes, of any type.
    @Test(arguments: [
        (#"{"key":1e400,"log":""}"#, ["key=1e400"]),
        (#"{"id":"\u00e9","log":"","key":[1, {"a":null}]}"#, [#"key=[1, {"a":null}]"#, #"id="\u00e9""#]),
        (#"{"key":12345678901234567890,"log":""}"#, ["key=12345678901234567890"]), (#"{"keys":1,"log":""}"#, []),
        (#"{"columns":{"tenant":"acme"},"key":1,"log":""}"#, ["key=1", #"columns={"tenant":"acme"}"#]),
        (#"{"key":1,"key":2,"log":""}"#, ["key=1"]), (#"{"key":"a","id":7,"log":broken}"#, [#"key="a""#, "id=7"]), (#"{"key":01}"#, []),
        ("{\"key\":[1,\r2],\"log\":\"\"}", ["key=[1, 2]"]), (#"{"log":"","key":true"#, ["key=true"]), (#"{"key":word,"id":1}"#, ["id=1"]),
    ])
    func `keys are copied`(line: String, expected: [String]) {
        func text(_ keys: StreamKeys) -> [String] {
            keys.members.map { $0.name + "=" + String(decoding: $0.value, as: UTF8.self) }.sorted()
        }
        let bytes = Array(line.utf8)
        #expect(text(StreamKeys(.line(bytes))) == expected.sorted())
        if let question = try? StreamRequest(.line(bytes)) { #expect(text(question.keys) == expected.sorted()) }
    }

    @Test func `a key with a length is text`() {
        let key: [UInt8] = [0x61, 0xFF, 0x0A, 0x22]
        #expect(StreamKeys(.pair(key: key, log: [])).members.map { String(decoding: $0.value, as: UTF8.self) } == ["\"a\u{FFFD}\\n\\\"\""])
    }
}
