internal import BinaryPrimitives
internal import CrashLogModel

/// One event of a vendor's JSON: its exceptions, and the threads of the process.
struct VendorEvent {
    private let event: JSONValue
    private let keys: VendorKeys

    /// - Returns: `nil` if the value holds no stacks.
    init?(_ value: JSONValue?, _ keys: VendorKeys) {
        guard let value, keys.stacks.contains(where: { value[$0.list] != nil }) || keys.cause.map({ value[$0.stack] != nil }) == true else {
            return nil
        }
        event = value
        self.keys = keys
    }

    /// - Parameter document: the bytes that the event is in.
    func report(in document: Span<UInt8>) -> CrashReport {
        var report = CrashReport(format: keys.name)
        var table = ImageTable()
        if let images = keys.images {
            for element in event[images.list]?.elements ?? [] { if let image = image(element, images) { table.add(image) } }
        }
        add(to: &report, images: &table, document)
        table.assign(to: &report)
        return report
    }

    func add(to report: inout CrashReport, images: inout ImageTable, _ document: Span<UInt8>) {
        for stacks in keys.stacks {
            for (index, element) in (event[stacks.list]?.elements ?? []).prefix(Limits.standard.threads).enumerated() {
                if stacks.type.isEmpty {
                    addThread(element, index, stacks, to: &report, images: &images, document)
                } else {
                    addException(element, stacks, to: &report, images: &images)
                }
            }
        }
        if let cause = keys.cause { addCause(cause, to: &report, document) }
        let (system, app) = (event["device"], event["app"])
        if report.platform == nil, let name = system?["osName"]?.string, let version = system?["osVersion"]?.string {
            report.platform = "\(name) \(version)"
        }
        report.process.identifier = report.process.identifier ?? app?["id"]?.string
        report.process.version = report.process.version ?? app?["version"]?.string
    }

    private func addException(_ element: JSONValue, _ stacks: VendorKeys.Stacks, to report: inout CrashReport, images: inout ImageTable) {
        let type = stacks.type.lazy.compactMap { element[$0]?.string }.first
        let isCrash = type.map { $0.hasPrefix("EXC_") || $0.hasPrefix("SIG") } ?? false
        if report.cause == nil {
            var cause = CrashCause(
                kind: !isCrash ? .languageException : type?.hasPrefix("SIG") == true ? .signal : .machException, type: type,
                message: stacks.message.lazy.compactMap { element[$0]?.string }.first)
            if cause.kind == .signal { cause.signal = type }
            report.cause = cause
        }
        let frames = frames(element[stacks.frames], &images, origin: isCrash ? .thread : .exception)
        guard !frames.isEmpty else { return }
        let name = stacks.name.flatMap { element[$0]?.string } ?? type
        let stack = ThreadTrace(index: 0, name: name, crashed: true, frames: frames)
        if report.exceptionBacktrace == nil { report.exceptionBacktrace = stack } else { report.additionalBacktraces.append(stack) }
    }

    private func addThread(
        _ element: JSONValue, _ index: Int, _ stacks: VendorKeys.Stacks, to report: inout CrashReport, images: inout ImageTable,
        _ document: Span<UInt8>
    ) {
        var thread = ThreadTrace(
            index: stacks.number.flatMap { element[$0]?.int } ?? index, name: stacks.name.flatMap { element[$0]?.string })
        thread.crashed = stacks.crashed.flatMap { element[$0]?.isTrue } ?? false
        thread.frames =
            stacks.areRows
            ? rows(element[stacks.frames], in: document, origin: .thread) : frames(element[stacks.frames], &images, origin: .thread)
        report.threads.append(thread)
    }

    /// The event's own cause; its own stack is the crashed thread's once more, or the thrown exception's.
    private func addCause(_ keys: VendorKeys.Cause, to report: inout CrashReport, _ document: Span<UInt8>) {
        let message = event[keys.message]?.string
        let type = event[keys.type]?.string.map { $0.split(separator: " ", maxSplits: 1).map(String.init) } ?? []
        let isException = message?.hasPrefix(keys.exceptionMessage) == true
        var cause = CrashCause(kind: isException ? .languageException : .signal, type: type.first, message: message)
        cause.signal = type.first
        report.cause = cause
        let frames = rows(event[keys.stack], in: document, origin: isException ? .exception : .thread)
        guard !frames.isEmpty else { return }
        if isException {
            report.exceptionBacktrace = ThreadTrace(index: 0, name: nil, crashed: true, frames: frames)
        } else if report.threads.isEmpty {
            report.threads = [ThreadTrace(index: 0, name: nil, crashed: true, frames: frames)]
        }
    }

    private func rows(_ text: JSONValue?, in document: Span<UInt8>, origin: AppleStack.Origin) -> [Frame] {
        var frames = QuotedAppleRows.frames(of: text, in: document)
        AppleStack.decideKinds(&frames, origin: origin)
        return frames
    }

    /// A thrown exception's stack is return addresses throughout. A thread's begins with its program counter, and so does the stack of a
    /// signal or Mach exception, which is the crashed thread's. (`isPC` is set on the first frame of every stack.)
    private func frames(_ list: JSONValue?, _ images: inout ImageTable, origin: AppleStack.Origin) -> [Frame] {
        var frames: [Frame] = []
        for (index, element) in (list?.elements ?? []).prefix(Limits.standard.framesPerThread).enumerated() {
            var frame = keys.frame.frame(element, index: index)
            if let image = keys.frame.image(element) { frame.image = images.index(ofImageAt: image.base) { image.image } }
            frames.append(frame)
        }
        AppleStack.decideKinds(&frames, origin: origin)
        return frames
    }

    private func image(_ element: JSONValue, _ images: VendorKeys.Images) -> BinaryImage? {
        guard let base = keys.frame.address(element[images.base]), let path = element[images.path]?.string else { return nil }
        var image = BinaryImage(
            name: Path.foreignName(of: path), path: path, id: element[images.identity]?.string.flatMap { ImageID(text: $0) },
            base: RuntimeAddress(base))
        if let end = keys.frame.address(element[images.end]), end > base { image.size = end - base + 1 }
        image.architecture = element[images.architecture]?.string.map { Architecture(writtenName: $0) }
        return image
    }
}
