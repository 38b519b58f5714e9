internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import SymbolFiles
internal import SymbolSources

/// One report's lookup.
struct ReportLookup {
    /// Position of a frame: its stack, by the index in the report's own list, and the frame's index in the stack.
    struct FramePosition: Hashable {
        enum Stack: Hashable {
            case exception
            case additional(Int)
            case thread(Int)
        }
        var stack: Stack
        var frame: Int
    }

    struct Lookup {
        var position: FramePosition
        /// The frame's own address in the image, without a Thumb bit: a function's `+ offset` counts to it.
        var raw: ImageLocation
        /// Whether the byte before is looked up.
        var isAdjusted: Bool
        /// Nothing decides whether the address is a return address: both are looked up.
        var isUndecided = false
    }

    let report: CrashReport
    let placing: Placing
    let options: SymbolicatorOptions
    let provider: any SymbolProvider
    let origin: LogOrigin?
    /// Why the log is another machine's.
    let otherMachine: String?
    var result: SymbolicatedReport
    /// Files of this machine that are used by the images' paths.
    var localPaths: [String] = []
    var lookups: [Int: [Lookup]] = [:]
    /// Names that were demangled.
    var names = RecentValues<String, DemangledName>(count: 4096)
    var meetsUnreadName = false
    var meetsLongName = false

    init(report: CrashReport, options: SymbolicatorOptions, provider: any SymbolProvider, origin: LogOrigin?) {
        // A crash has a time of its own, often to the second.
        var origin = origin
        if let instant = report.timestamp?.instant, let writtenAt = origin?.writtenAt {
            origin?.writtenAt = min(writtenAt, Int64(clamping: instant + 1_000_000_000))
        }
        placing = Placing(report, options: options, provider: provider, origin: origin)
        self.report = placing.report
        self.options = options
        self.provider = provider
        self.origin = origin
        otherMachine = placing.otherMachine
        result = SymbolicatedReport(report: placing.report)
        result.notes += placing.notes
    }

    mutating func run() -> SymbolicatedReport {
        // Loops rather than closures, here and below: a closure that calls a method of this
        // structure copies all of it, frame by frame.
        var addresses: [RuntimeAddress] = []
        for stack in report.stacks {
            for frame in stack.frames { if let address = lookupAddress(frame) { addresses.append(address) } }
        }
        let map = ImageMap(report: report, lookups: addresses, listsBases: placing.listsBases, isMoved: placing.given.isMoved) {
            [provider, options] in
            provider.unslidImages(processName: report.process.name).filter { !FileStamp.isModified($0.path, after: options.printedAt) }
        }
        result.notes += map.notes
        // Without a list of images the named files are all there is to look into.
        if report.images.isEmpty { result.notes += provider.unreadableFiles() }
        let crashedOnly = options.threads == .crashed && report.threads.contains(where: \.crashed)
        for (index, thread) in report.threads.enumerated() {
            result.threads.append(outcomes(of: thread, stack: .thread(index), map: map, isWanted: !crashedOnly || thread.crashed))
        }
        if let backtrace = report.exceptionBacktrace {
            result.exceptionBacktrace = outcomes(of: backtrace, stack: .exception, map: map, isWanted: true)
        }
        for (index, backtrace) in report.additionalBacktraces.enumerated() {
            result.additionalBacktraces.append(outcomes(of: backtrace, stack: .additional(index), map: map, isWanted: true))
        }
        var requests: [ImageRequest] = []
        for (index, image) in report.images.enumerated() where lookups[index] != nil && !image.isPlaceholder {
            requests.append(request(for: image, number: index))
        }
        provider.prepare(for: requests)
        var requested = requestSymbols()
        if options.adjustment == .auto { decideKinds(requested, map.unslid) }
        lookUpFrames(&requested)
        for (index, image) in report.images.enumerated() { result.images.append(answer(image, number: index, requested[index])) }
        for (index, file) in map.unslid.enumerated() { result.images.append(answer(file, number: report.images.count + index)) }
        if !localPaths.isEmpty {
            result.notes.append(
                "\(localPaths.count == 1 ? "" : "each ")matched by path, unchanged since the log was written: \(localPaths.joined(separator: ", "))"
            )
        }
        if meetsUnreadName { result.notes.append("mangled names that cannot be demangled are shown as they are") }
        if meetsLongName {
            result.notes.append("mangled names of more than \(options.demangler.limits.mangledNameLength) bytes are shown as they are")
        }
        return result
    }

    func lookupAddress(_ frame: Frame) -> RuntimeAddress? {
        let architecture = frame.image.flatMap { report.images.indices.contains($0) ? report.images[$0].architecture : nil }
        let hasThumbBit = (architecture ?? report.architecture)?.hasThumbBit ?? false
        return frame.lookupAddress(hasThumbBit: hasThumbBit, adjustment: options.adjustment)
    }
}

extension CrashReport {
    mutating func changeFrame(at position: ReportLookup.FramePosition, _ change: (inout Frame) -> Void) {
        switch position.stack {
        case .exception:
            if var stack = exceptionBacktrace {
                change(&stack.frames[position.frame])
                exceptionBacktrace = stack
            }
        case .additional(let index): change(&additionalBacktraces[index].frames[position.frame])
        case .thread(let index): change(&threads[index].frames[position.frame])
        }
    }
}

extension Array {
    subscript(safe index: Int?) -> Element? { index.flatMap { indices.contains($0) ? self[$0] : nil } }
}
