internal import BinaryPrimitives
internal import Databases

/// Outcomes as rows of the store's tables: the values of `StoreTable`'s columns. Keys follow from
/// what a row says, so that whoever writes it again, or at the same time, writes the same row.
enum OutcomeRows {
    static func log(_ outcome: LogOutcome, rules: String) -> StatementArguments {
        let problems = outcome.problems.isEmpty ? nil : outcome.problems.joined(separator: "\n")
        return [
            outcome.content.number, outcome.content.hexadecimal, outcome.size, outcome.result.rawValue, problems, rules, outcome.unanswered,
        ]
    }

    static func file(_ stored: StoredFile) -> StatementArguments {
        [stored.path, stored.content.number, Int64(clamping: stored.stamp.size), stored.stamp.modified]
    }

    // MARK: Reports

    static func key(ofReport number: Int, log: Int64) -> Int64 { ContentHash.number(of: "report \(log) \(number)") }

    static func report(_ value: LogOutcome.Report, id: Int64, number: Int, log: Int64, signature: Int64) -> StatementArguments {
        [
            id, log, number, value.format, value.process, value.identifier, value.version, value.pid, value.platform,
            value.system, value.device, value.architecture, value.instant, value.time, value.causeKind, value.causeType,
            value.signal,
            value.message, value.faultAddress.map { Int64(bitPattern: $0) }, signature, value.meaning,
        ]
    }

    static func key(_ value: StoredSignature) -> Int64 {
        let texts = [
            value.family, value.kindLabel, value.title, value.exact, value.ownCode, "\(value.lacksSymbols)", value.absence ?? "",
            value.frames,
        ]
        return ContentHash.number(of: "signature\u{1}" + texts.joined(separator: "\u{1}"))
    }

    static func signature(_ value: StoredSignature, id: Int64) -> StatementArguments {
        [id, value.family, value.kindLabel, value.title, value.exact, value.ownCode, value.lacksSymbols, value.absence, value.frames]
    }

    // MARK: Images

    /// An identity says which file it is; without one the path does.
    static func key(_ image: LogOutcome.Image) -> Int64 {
        let identity = image.identity ?? "path \(image.path ?? "")"
        return ContentHash.number(of: "image\u{1}\(image.name)\u{1}\(image.architecture ?? "")\u{1}\(identity)")
    }

    static func image(_ image: LogOutcome.Image, id: Int64) -> StatementArguments {
        [id, image.name, image.identity, image.path, image.architecture, image.hasSymbols, image.reason]
    }

    static func loadedImage(_ loaded: LogOutcome.LoadedImage, id: Int64, report: Int64) -> StatementArguments {
        [report, id, loaded.base.map { Int64(bitPattern: $0) }]
    }

    // MARK: Stacks

    /// Key of a stack. For a frame in no image the key includes the reason, because no other row
    /// has it. The rows are the same for every order of the logs.
    /// - Parameter images: The keys of the report's images.
    static func key(_ frames: [LogOutcome.Frame], _ images: [Int64]) -> Int64 {
        // Bytes rather than a text that grows: there are hundreds of frames a log.
        var text = Array("stack".utf8)
        text.reserveCapacity(64 * (frames.count + 1))
        for frame in frames {
            let image = image(of: frame, images)
            text.append(1)
            text += frame.kind.utf8
            text.append(2)
            let key = image ?? 0
            if key < 0 { text.append(UInt8(ascii: "-")) }
            append(key.magnitude, to: &text)
            text.append(2)
            append(frame.offset ?? 0, to: &text)
            text.append(2)
            append(frame.address ?? 0, to: &text)
            text.append(2)
            if let printed = frame.printed { text += printed.utf8 }
            if image == nil, let reason = frame.reason {
                text.append(2)
                text += reason.utf8
            }
        }
        return ContentHash.number(of: text)
    }

    /// Adds a number in decimal digits.
    private static func append(_ number: UInt64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
    }

    static func image(of frame: LogOutcome.Frame, _ images: [Int64]) -> Int64? {
        frame.image.flatMap { images.indices.contains($0) ? images[$0] : nil }
    }

    static func thread(_ stack: LogOutcome.Stack, number: Int, report: Int64, stack id: Int64) -> StatementArguments {
        [report, number, stack.role.rawValue, stack.index, stack.name, stack.crashed, id]
    }
}
