internal import BinaryPrimitives
internal import CrashLogModel

/// One `stacktrace` of a Sentry event.
struct SentryStack {
    private let stacktrace: JSONValue?
    private let signal: String?
    private let isCrashed: Bool
    private let isException: Bool

    /// - Parameters:
    ///   - signal: the signal's name, if the event has one.
    ///   - isException: it is the stack of an exception, not of a thread.
    init(_ stacktrace: JSONValue?, signal: String?, isCrashed: Bool, isException: Bool) {
        self.stacktrace = stacktrace
        self.signal = signal
        self.isCrashed = isCrashed
        self.isException = isException
    }

    var registers: RegisterState? { RegisterState(members: stacktrace?["registers"]) }

    /// Innermost first.
    func frames(_ images: inout ImageTable) -> [Frame] {
        var frames: [Frame] = []
        var modes: [String?] = []
        // A stack goes through one image for several frames.
        var lastPackage: (written: JSONValue, name: String?)?
        for element in (stacktrace?["frames"]?.elements ?? []).reversed().prefix(Limits.standard.framesPerThread) {
            let address = element["instruction_addr"]?.unsigned
            var frame = Frame(index: frames.count, kind: .returnAddress, address: address.map { RuntimeAddress($0) }, range: element.range)
            if let written = element["package"] {
                if lastPackage?.written.isWritten(like: written) != true { lastPackage = (written, written.string.map(Path.foreignName)) }
                frame.imageName = lastPackage?.name
            }
            frame.imageOffset = JSONFrame.distance(of: address, from: element["image_addr"]).map { ImageOffset($0) }
            frame.printed = SentryStack.printed(element, address: address)
            frames.append(frame)
            modes.append(element["addr_mode"]?.string)
        }
        markInlined(&frames)
        decideKinds(&frames)
        makeAbsolute(&frames, modes: modes, images: images)
        return frames
    }

    /// `{"function":"main","raw_function":"_main","symbol_addr":"0x1000","abs_path":"/src/main.m","filename":"main.m","lineno":9}`
    private static func printed(_ element: JSONValue, address: UInt64?) -> PrintedSymbol? {
        var printed = PrintedSymbol()
        printed.name = element["function"]?.string.flatMap { JSONFrame.isName($0) && $0 != "<unknown>" ? $0 : nil }
        if printed.name != nil { printed.offset = JSONFrame.distance(of: address, from: element["symbol_addr"]) }
        if let file = element["abs_path"]?.string ?? element["filename"]?.string, let line = element["lineno"]?.int {
            printed.location = SourceLocation(file: file, line: line, column: element["colno"]?.int ?? 0)
        }
        return printed == PrintedSymbol() ? nil : printed
    }

    /// Sentry's symbolicator makes one frame of each inlined call, all with the address of the
    /// frame that they belong to, and marks none of them. Only frames that have a line can be such:
    /// the SDK itself writes none, and lists two frames of one address where a function recurses.
    private func markInlined(_ frames: inout [Frame]) {
        guard frames.contains(where: { $0.printed?.location != nil }) else { return }
        AppleStack.markInlined(&frames)
        for index in frames.indices where frames[index].isInlined && frames[index].printed?.location == nil {
            frames[index].isInlined = false
        }
    }

    /// Decides which frames are return addresses. Sentry's addresses are raw; its server does what
    /// this does (symbolic's `InstructionInfo::should_adjust_caller`): every frame is a return
    /// address but the first of a thread (the last in the file). That one, too, where
    /// - an exception was thrown and its own stack is listed: it comes from
    ///   `callStackReturnAddresses` or `__cxa_throw`'s hook, and has no `registers`;
    /// - it is not what the program counter's register says, after SIGILL, SIGBUS or SIGSEGV: the
    ///   SDK has dropped the signal handler's frame and the crashed one.
    private func decideKinds(_ frames: inout [Frame]) {
        let registers = stacktrace?["registers"]
        let counter = KSCrashStack.programCounter(registers)
        let isOther = counter.map { counter in frames.first?.address.map { $0.value != counter } ?? true } ?? false
        let isCrashSignal = isCrashed && (signal.map { ["SIGILL", "SIGBUS", "SIGSEGV"].contains($0) } ?? false)
        let isTakenByCode = counter == nil && isException
        frames.decideKinds(isFirstExact: !isTakenByCode && !(isOther && isCrashSignal))
    }

    /// `addr_mode` `rel:N` counts from the start of the N-th image of `debug_meta`, as for programs
    /// without absolute addresses.
    private func makeAbsolute(_ frames: inout [Frame], modes: [String?], images: ImageTable) {
        for index in frames.indices {
            guard let mode = modes[index], mode.hasPrefix("rel:") else { continue }
            guard let listed = Int(mode.dropFirst(4)), images.listed.indices.contains(listed), let number = images.listed[listed] else {
                // An offset from an unknown image is not an address.
                frames[index].address = nil
                continue
            }
            let offset = frames[index].address.map { ImageOffset($0.value) }
            frames[index].image = number
            if images.images[number].architecture == .wasm32 {
                // The SDK has it from the browser's row, which has the instruction itself, and no address of the process.
                (frames[index].imageLocation, frames[index].address) = (offset.map { .fileOffset($0.value) }, nil)
                frames[index].kind = .exact
                continue
            }
            frames[index].imageOffset = offset
            frames[index].address = images.images[number].base.flatMap { base in offset?.runtimeAddress(imageLoadedAt: base) }
        }
    }
}
