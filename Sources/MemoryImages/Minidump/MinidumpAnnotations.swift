internal import BinaryPrimitives
internal import Unwinding

/// Messages of the program, its libraries and the C library about the crash.
extension MinidumpParser {
    typealias Annotation = MemoryImage.Annotation

    /// Breakpad's record of an assertion of Windows' C library: expression, function and file of
    /// 128 UTF-16 units each, line, kind.
    mutating func readAssertion(_ bytes: RawSpan) -> MemoryImage.Assertion? {
        guard let location = location(.assertion), let stream = try? bytes.slice(at: location.offset, count: 776) else { return nil }
        var texts: [String?] = []
        for index in 0..<3 { texts.append(utf16(stream.clamped(to: index * 256..<(index + 1) * 256))) }
        let line = word(stream, 768)
        return MemoryImage.Assertion(
            kind: .init(rawValue: word(stream, 772)) ?? .unknown, expression: texts[0], function: texts[1], file: texts[2],
            line: line == 0 ? nil : line)
    }

    mutating func readAnnotations(_ bytes: RawSpan, _ image: inout MemoryImage) {
        readMacCrashInformation(bytes, &image)
        guard let found = stream(.crashpad, "annotations of Crashpad"), case let stream = bytes.clamped(to: found) else { return }
        addDictionary(location(stream, at: 36), nil, bytes, &image)
        forEachLocatedEntry(location(stream, at: 44), size: 12, bytes) { parser, link in
            let name = parser.moduleNames.indices.contains(Int(parser.word(link, 0))) ? parser.moduleNames[Int(parser.word(link, 0))] : ""
            let module = bytes.clamped(to: parser.range(parser.location(link, at: 4)))
            guard module.byteCount >= 28 else { return }
            parser.forEachLocatedEntry(parser.location(module, at: 4), size: 4, bytes) { parser, entry in
                parser.add(name, "", parser.crashpadString(bytes, at: parser.word(entry, 0)), &image)
            }
            parser.addDictionary(parser.location(module, at: 12), name, bytes, &image)
            parser.forEachLocatedEntry(parser.location(module, at: 20), size: 12, bytes) { parser, entry in
                // 1 is a string; other types are the program's own.
                guard (try? entry.value(UInt16.self, at: 4, parser.order)) == 1 else { return }
                let key = parser.crashpadString(bytes, at: parser.word(entry, 0)) ?? ""
                parser.add(name, key, parser.crashpadString(bytes, at: parser.word(entry, 8)), &image)
            }
        }
        // The bits that no address has (arm64).
        let mask = wide(stream, 56)
        if processor == .arm64, stream.byteCount >= 64, mask >> 55 & 1 == 1 { image.codeMask = mask }
    }

    /// Calls `body` with the entries that follow their count, at a location of the file.
    private mutating func forEachLocatedEntry(
        _ location: Location, size: Int, _ bytes: RawSpan, _ body: (inout MinidumpParser, RawSpan) -> Void
    ) {
        let list = bytes.clamped(to: range(location))
        guard list.byteCount >= 4 else { return }
        let count = UInt64(word(list, 0))
        let maxCount = annotationsLeft
        annotationsLeft -= min(Int(count), (list.byteCount - 4) / size, maxCount)
        forEachEntry(
            of: list.clamped(to: 4..<list.byteCount), count: count, size: size, maxCount: maxCount, "annotations of Crashpad", body)
    }

    /// Reads a dictionary: the locations of names and of values.
    private mutating func addDictionary(_ location: Location, _ owner: String?, _ bytes: RawSpan, _ image: inout MemoryImage) {
        forEachLocatedEntry(location, size: 8, bytes) { parser, entry in
            let key = parser.crashpadString(bytes, at: parser.word(entry, 0)) ?? ""
            parser.add(owner, key, parser.crashpadString(bytes, at: parser.word(entry, 4)), &image)
        }
    }

    private func add(_ owner: String?, _ name: String, _ value: String?, _ image: inout MemoryImage) {
        guard let value else { return }
        image.annotations.append(Annotation(image: owner, name: name, value: value))
    }

    /// Reads the messages that libraries of Apple's systems leave in `__DATA,__crash_info`, as Mozilla writes
    /// them: up to 20 records, which have strings one after another: path, message, signature, backtrace, a
    /// second message.
    private mutating func readMacCrashInformation(_ bytes: RawSpan, _ image: inout MemoryImage) {
        guard let found = stream(.macCrashInformation, "messages of macOS' libraries"), case let stream = bytes.clamped(to: found) else {
            return
        }
        let start = Int(word(stream, 8))
        for index in 0..<min(Int(word(stream, 4)), 20) {
            let record = bytes.clamped(to: range(location(stream, at: 12 + 8 * index)))
            guard start > 0, start < record.byteCount else { continue }
            var rest = record.clamped(to: start..<record.byteCount)
            var texts: [String] = []
            while texts.count < 5, let text = try? rest.readCString() { texts.append(utf8(text) ?? "") }
            for (name, text) in zip(["message", "signature", "backtrace", "message2"], texts.dropFirst()) where !text.isEmpty {
                add(texts[0], name, text, &image)
            }
        }
    }
}
