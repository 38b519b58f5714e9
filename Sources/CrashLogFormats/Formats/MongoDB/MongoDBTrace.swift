internal import BinaryPrimitives
package import CrashLogModel

/// The stack that MongoDB's servers log as JSON, bare or in a line of their log (since 4.4):
///
///     {"t":…,"msg":"BACKTRACE","attr":{"bt":{"backtrace":[{"a":"5609CC4000E4","b":"5609C75C7000","o":"4E390E4","s":"_ZN7harbour4moorEv","C":"harbour::moor()","s+":"1F4"}],
///      "processInfo":{"somap":[{"b":"5609C75C7000","buildId":"28879BCB86C4B9AF7CEC8E6482F331A095E338D0"},{"b":"7F0FBB3F9000","path":"/lib/libtide.so.1"}]}}}}
///
/// `a` is the address, `b` where the file was loaded, `o` the distance of both; `s` the function,
/// `C` its name as C++ has it, `s+` the offset in it (`StackTraceImpl`,
/// `src/mongo/util/stacktrace_posix.cpp`). The first entry of `somap` is the program itself,
/// without a path. Addresses are as unwound.
package struct MongoDBTrace: DocumentFormat {
    package static let name = "mongodb-json"
    package static let summary = "stacks of MongoDB’s servers as JSON: “backtrace” and “somap”, bare or in a log line"
    package static let triggers = ["\"backtrace\":[{\"", "\"msg\":\"BACKTRACE\""]

    package static func begins(_ start: Span<UInt8>) -> Confidence {
        guard start.trimmed().hasPrefix("{"), let keyRange = start.firstRange(of: "\"backtrace\":[{\"") else { return .none }
        let first = start.from(keyRange.upperBound)
        return first.hasPrefix("a\":\"") || first.hasPrefix("b\":\"") ? .certain : .none
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        let root = try JSONParser().parse(document)
        guard let trace = trace(in: root), let rows = trace["backtrace"]?.elements, !rows.isEmpty else {
            throw LogError("not a stack of MongoDB", expected: "an object with \"backtrace\"", at: 0)
        }
        var report = CrashReport(format: name)
        report.images = (trace["processInfo"]?["somap"]?.elements ?? []).prefix(Limits.standard.images).map(image)
        var thread = ThreadTrace(index: 0, crashed: true)
        for (index, row) in rows.prefix(Limits.standard.framesPerThread).enumerated() {
            thread.frames.append(frame(row, index: index, images: &report.images))
        }
        // All are return addresses except the interrupted instruction: the handler itself walks the stack.
        thread.frames.decideKinds(isFirstExact: false) { SignalFrame.isHandler($0.printed) }
        report.threads = [thread]
        return [report]
    }

    /// The object with the stack: the document, or `attr.bt` of a log line.
    private static func trace(in root: JSONValue) -> JSONValue? {
        if root["backtrace"] != nil { return root }
        let attributes = root["attr"]
        return attributes?["bt"] ?? attributes
    }

    private static func image(_ entry: JSONValue) -> BinaryImage {
        var image = entry["path"]?.string.map { BinaryImage(file: $0) } ?? BinaryImage(name: RowFrames.unnamed)
        image.base = hexadecimal(entry["b"]).map { RuntimeAddress($0) }
        image.id = entry["buildId"]?.string.flatMap { ImageID(text: $0) }
        return image
    }

    private static func frame(_ row: JSONValue, index: Int, images: inout [BinaryImage]) -> Frame {
        let base = hexadecimal(row["b"])
        let offset = hexadecimal(row["o"])
        var address = hexadecimal(row["a"])
        if address == nil, let base, let offset { address = base.addingReportingOverflow(offset).partialValue }
        var frame = Frame(index: index, kind: .returnAddress, address: address.map { RuntimeAddress($0) }, range: row.range)
        if let base, base > 0 {
            frame.image = images.firstIndex { $0.base == RuntimeAddress(base) }
            if frame.image == nil, images.count < Limits.standard.images {
                frame.image = images.count
                let image = BinaryImage(name: RowFrames.unnamed, base: RuntimeAddress(base))
                images.append(image)
            }
            if let offset { frame.imageOffset = ImageOffset(offset) }
        }
        frame.imageName = frame.image.map { images[$0].name }
        var printed = PrintedSymbol(name: row["C"]?.string ?? row["s"]?.string, offset: hexadecimal(row["s+"]))
        printed.location = row["at"]?.string.flatMap { SourceLocationText.read(Array($0.utf8).span) }
        if printed != PrintedSymbol() { frame.printed = printed }
        frame.isInlined = row["inlined"]?.isTrue ?? false
        return frame
    }

    /// `"5609CC4000E4"`
    private static func hexadecimal(_ value: JSONValue?) -> UInt64? { value?.string.flatMap { UInt64($0, radix: 16) } }

    /// `C` and `s+` are set, as the server does if it knows the function, and `at` to the source
    /// location. Inlined calls become objects of their own in front, with `"inlined": true`.
    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        JSONFrame.edit(at: frame.range, of: log, functions: result.functions) { function, edit in
            edit.set("C", to: JSONString.quoted(function.name))
            edit.set("s+", to: function.offset.map { JSONString.quoted(String($0, radix: 16, uppercase: true)) })
            if let location = function.location { edit.set("at", to: JSONString.quoted("\(location.file):\(location.line)")) }
            if function.isInlined { edit.set("inlined", to: "true") }
        }
    }
}
