internal import BinaryPrimitives
internal import CrashLogModel

/// The stacks in what gdb prints, while its lines come. Apport's reports hold the same rows.
struct GDBStacks {
    private(set) var threads: [ThreadTrace] = []
    /// Frames that gdb shows by themselves: where the program stopped, which frame is selected.
    private(set) var others: [ThreadTrace] = []
    private var current: ThreadTrace?
    /// The current stack was begun by a thread's heading.
    private var isHeaded = false
    private var row: GDBBrokenRow?

    var hasFrames: Bool { !threads.isEmpty || !others.isEmpty || current?.frames.isEmpty == false || row != nil }

    /// Whether the line is a row, a part of one, or a thread's heading.
    mutating func read(_ line: Span<UInt8>, at range: Range<Int>) -> Bool {
        if row?.read(line, at: range) == true { return true }
        endRow()
        let text = line.trimmed()
        if let thread = GDBHeading.thread(text) {
            endStack()
            current = ThreadTrace(index: thread.number, name: thread.name)
            isHeaded = true
            return true
        }
        // KDE's crash handler replaces the rows of its own functions and the signal's.
        if text.equals("[KCrash Handler]") {
            note(Frame(index: (current?.frames.last?.index ?? -1) + 1, kind: .exact, address: nil, range: range), name: "[KCrash Handler]")
            return true
        }
        guard let begun = GDBBrokenRow(line, at: range) else { return false }
        row = begun
        return true
    }

    private mutating func note(_ frame: Frame, name: String) {
        var frame = frame
        frame.printed = PrintedSymbol(name: name)
        append(frame)
    }

    private mutating func endRow() {
        guard let ended = row else { return }
        row = nil
        guard let parsed = GDBRow(ended.text.span) else { return }
        // A stack begins at frame 0; a second frame 0 begins a second stack. (Rows that were cut or
        // edited begin anywhere.) What frame 0 was inlined into may have its number: so this
        // package writes results.
        if parsed.index == 0, let last = current?.frames.last, parsed.address != nil || last.index != 0 || last.address == nil {
            endStack()
        }
        append(parsed.frame(at: ended.range))
    }

    private mutating func append(_ frame: Frame) {
        if current == nil { current = ThreadTrace(index: threads.count) }
        current?.frames.add(frame)
    }

    private mutating func endStack() {
        defer {
            current = nil
            isHeaded = false
        }
        guard var stack = current, !stack.frames.isEmpty, threads.count + others.count < Limits.standard.threads else { return }
        GDBStacks.joinInlined(&stack.frames)
        GDBStacks.decideKinds(&stack.frames)
        if stack.frames.count(where: { !$0.isInlined }) == 1, !isHeaded {
            stack.name = "selected frame"
            others.append(stack)
        } else {
            threads.append(stack)
        }
    }

    mutating func finish() {
        endRow()
        endStack()
        // A single frame may be all that there is.
        guard threads.isEmpty, !others.isEmpty else { return }
        for index in others.indices { others[index].name = nil }
        threads = others
        others = []
    }

    /// A row without an address is of the function that the row above was inlined into:
    /// `frame_show_address` of gdb/stack.c leaves out the address of a frame whose callee is
    /// inlined into it, because the frame then is at the beginning of the line that is shown.
    /// (Where the program stopped, and where a signal interrupted it, a line's first instruction
    /// has no address either, but no row above it that could be its callee.)
    private static func joinInlined(_ frames: inout [Frame]) {
        for index in frames.indices.dropFirst() {
            let callee = frames[index - 1]
            guard frames[index].address == nil, callee.kind != .exact, frames[index].kind != .exact else { continue }
            frames[index - 1].isInlined = true
            frames[index].address = callee.address
        }
    }

    /// gdb prints the program counter as it is. In frame 0 and after `<signal handler called>` it
    /// is the instruction that was to be executed, in all others the one to which the call returns.
    /// For the name and the line gdb itself looks one byte earlier (`get_frame_address_in_block`).
    /// Inlined calls have the address of the frame that they are in.
    private static func decideKinds(_ frames: inout [Frame]) {
        var isExact = frames.first?.index == 0
        for index in frames.indices {
            if frames[index].kind == .exact {
                isExact = true
                continue
            }
            frames[index].kind = isExact ? .programCounter : .returnAddress
            if !frames[index].isInlined { isExact = false }
        }
    }
}
