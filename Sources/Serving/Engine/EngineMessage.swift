internal import BinaryPrimitives
internal import LibC

/// A request or a response on its way between two processes of this program: numbers and texts one
/// after another, each text with its length before it. What is large goes as an open file beside
/// it.
///
/// Both ends are the same program, so there is no version in it. All its fields are checked: a file
/// that an engine read may have misled it.
struct EngineMessage {
    private(set) var bytes: [UInt8] = []
    private var position = 0

    /// Bytes of a message, at most: what is larger is a file.
    static let largest = 4 << 20

    init() {}
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func append(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    mutating func append(_ text: String) {
        append(text.utf8.count)
        bytes += text.utf8
    }

    mutating func append(_ part: [UInt8]) {
        bytes.reserveCapacity(bytes.count + 8 + part.count)
        append(part.count)
        bytes += part
    }

    mutating func append(_ headers: [(name: String, value: String)]) {
        append(headers.count)
        for header in headers {
            append(header.name)
            append(header.value)
        }
    }

    mutating func number() -> Int? {
        guard bytes.count - position >= 8 else { return nil }
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
        position += 8
        return Int(exactly: Int64(bitPattern: value))
    }

    mutating func part() -> [UInt8]? {
        guard let count = number(), count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func text() -> String? { part().map { String(decoding: $0, as: UTF8.self) } }

    mutating func headers() -> [(name: String, value: String)]? {
        guard let count = number(), (0...10_000).contains(count) else { return nil }
        var headers: [(name: String, value: String)] = []
        for _ in 0..<count {
            guard let name = text(), let value = text() else { return nil }
            headers.append((name, value))
        }
        return headers
    }
}

extension LocalSocket {
    /// Sends a message and the part of a file that belongs to it.
    func send(_ message: EngineMessage, _ file: MappedFile.OpenPart?, before deadline: ContinuousClock.Instant?) throws(Failure) {
        var whole = EngineMessage()
        whole.append(message.bytes.count)
        try send(whole.bytes + message.bytes, file, before: deadline)
    }

    /// Receives one.
    /// - Returns: it, and the descriptor that came with it, which the caller closes; -1 for none.
    func message(before deadline: ContinuousClock.Instant?) throws(Failure) -> (EngineMessage, descriptor: Int32) {
        var descriptor: Int32 = -1
        do throws(Failure) {
            var head = EngineMessage(try receive(8, &descriptor, before: deadline))
            guard let count = head.number(), (0...EngineMessage.largest).contains(count) else { throw Failure.ended }
            return (EngineMessage(try receive(count, &descriptor, before: deadline)), descriptor)
        } catch {
            if descriptor >= 0 { close(descriptor) }
            throw error
        }
    }
}

extension Request {
    /// - Returns: the message, and the file that goes with it.
    func message() -> (EngineMessage, MappedFile.OpenPart?) {
        var message = EngineMessage()
        message.append(method)
        message.append(query.isEmpty ? path : path + "?" + query)
        message.append(headers)
        guard case .file(let file) = body, let part = file.openPart else {
            message.append(-1)
            message.append(body.bytes)
            return (message, nil)
        }
        message.append(part.start)
        message.append(file.size)
        return (message, part)
    }

    /// - Parameter descriptor: closed by this.
    /// - Returns: `nil` for bytes that are not a message.
    init?(_ message: EngineMessage, descriptor: Int32) {
        var message = message
        var file = DescriptorGuard(descriptor)
        guard let method = message.text(), let target = message.text(), let headers = message.headers(), let start = message.number() else {
            return nil
        }
        if start < 0 {
            guard let bytes = message.part() else { return nil }
            self.init(method, target, headers: headers, body: bytes)
        } else {
            guard let size = message.number(), let body = file.file(start, size, path: "the request") else { return nil }
            self.init(method, target, headers: headers, body: .file(body))
        }
    }
}

/// A reply from an engine: the response and the engine's memory.
struct EngineReply {
    var response: Response
    /// Bytes of memory that belong to the engine alone (`RssAnon`).
    var memory: Int

    init(_ response: Response, memory: Int) {
        self.response = response
        self.memory = memory
    }

    /// - Returns: the message, and the file that goes with it, to be kept until it is sent.
    /// - Throws: `FileError` where a large response cannot be put into a file.
    func message() throws(FileError) -> (EngineMessage, MappedFile?) {
        var message = EngineMessage()
        message.append(memory)
        let facts = response.facts
        for number in [
            facts.found, facts.missing, facts.downloaded, facts.missed, facts.failed, facts.walks, facts.opened, facts.files.count,
        ] {
            message.append(number)
        }
        for file in facts.files { message.append(file) }
        message.append(response.status)
        message.append(response.headers)
        var (file, range): (MappedFile?, Range<Int>) = (nil, 0..<response.body.count)
        switch response.body {
        case .file(let whole, let part): (file, range) = (whole, part)
        case .bytes(let bytes) where bytes.count <= EngineHost.maxInlineBytes:
            message.append(-1)
            message.append(bytes)
            return (message, nil)
        case .bytes: break
        }
        if file?.openPart == nil {
            // Bytes that are in this process's memory alone.
            var copy = UnlinkedFile()
            switch response.body {
            case .bytes(let bytes): try copy.append(bytes)
            case .file(let whole, let part):
                for start in stride(from: part.lowerBound, to: part.upperBound, by: 1 << 20) {
                    try copy.append(whole.bytes(in: start..<min(start + 1 << 20, part.upperBound)))
                }
            }
            (file, range) = (try copy.finish(path: "the response"), 0..<range.count)
        }
        guard let file, let part = file.openPart else {
            // A small one again: files of memory are made from a size on.
            message.append(-1)
            message.append(file.map { $0.bytes(in: range) } ?? [])
            return (message, nil)
        }
        message.append(part.start + range.lowerBound)
        message.append(range.count)
        return (message, file)
    }

    /// - Parameter descriptor: closed by this.
    init?(_ message: EngineMessage, descriptor: Int32) {
        var message = message
        var file = DescriptorGuard(descriptor)
        guard let memory = message.number(), let facts = RequestFacts(&message), let status = message.number(),
            (200...599).contains(status), let headers = message.headers(),
            let start = message.number()
        else { return nil }
        self.memory = memory
        if start < 0 {
            guard let bytes = message.part() else { return nil }
            response = Response(status, headers: headers, body: .bytes(bytes))
        } else {
            guard let size = message.number(), let body = file.file(start, size, path: "the response") else { return nil }
            response = Response(status, headers: headers, body: .file(body, 0..<body.size))
        }
        response.facts = facts
    }
}

extension RequestFacts {
    fileprivate init?(_ message: inout EngineMessage) {
        self.init()
        var numbers: [Int] = []
        for _ in 0..<8 {
            guard let number = message.number(), number >= 0 else { return nil }
            numbers.append(number)
        }
        guard numbers[7] <= Self.maxFiles else { return nil }
        for _ in 0..<numbers[7] {
            guard let file = message.text() else { return nil }
            files.append(file)
        }
        (found, missing, downloaded, missed) = (numbers[0], numbers[1], numbers[2], numbers[3])
        (failed, walks, opened) = (numbers[4], numbers[5], numbers[6])
    }
}

/// A descriptor that came with a message: a file's, or closed.
private struct DescriptorGuard: ~Copyable {
    private var descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The part of the file that the message names.
    mutating func file(_ start: Int, _ size: Int, path: String) -> MappedFile? {
        guard descriptor >= 0 else { return nil }
        defer { descriptor = -1 }
        guard let whole = try? MappedFile(descriptor: descriptor, path: path), start >= 0, size >= 0, start <= whole.size,
            size <= whole.size - start
        else { return nil }
        return start == 0 && size == whole.size ? whole : MappedFile(whole, start..<start + size, path: path)
    }
}
