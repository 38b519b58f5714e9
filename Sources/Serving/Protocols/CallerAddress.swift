internal import BinaryPrimitives

/// Which address of a frame Symbolicator looks up (`symbolic-common/src/heuristics.rs`): that of
/// the call for a return address.
struct CallerAddress {
    private let family: String
    private let signal: UInt64?

    init(_ architecture: Architecture?, signal: UInt64?) {
        family = architecture?.family ?? ""
        self.signal = signal
    }

    /// - Parameter isFirst: the frame is the thread's innermost, whose address is no return address
    ///   as long as the thread was interrupted there.
    func address(of frame: SentryRequest.Frame, isFirst: Bool, in stack: SentryRequest.Stack) -> UInt64 {
        let aligned = frame.address & ~(alignment - 1)
        guard isReturnAddress(frame, isFirst: isFirst, in: stack) else { return aligned }
        return aligned >= step ? aligned - step : aligned
    }

    private func isReturnAddress(_ frame: SentryRequest.Frame, isFirst: Bool, in stack: SentryRequest.Stack) -> Bool {
        if let isReturnAddress = frame.isReturnAddress { return isReturnAddress }
        // Engines of WebAssembly give the instruction itself, also of callers.
        if family == Architecture.wasm32.family { return false }
        // A client that marks one frame marks all that are not return addresses: the others are.
        if stack.hasMarkedFrames { return true }
        guard isFirst else { return true }
        // SIGILL, SIGBUS (macOS), SIGSEGV: the thread's own instruction failed, and the first frame
        // is another one.
        guard let signal, [4, 10, 11].contains(signal), let register = stack.registers.first(where: { $0.name == counter }) else {
            return false
        }
        return register.value != frame.address
    }

    private var counter: String {
        switch family {
        case "i386": "eip"
        case "x86_64": "rip"
        default: "pc"
        }
    }

    /// Bytes that instructions are aligned to, and those from one to the one before it. Those of
    /// x86 have any length: any byte of the call is as good. A call on MIPS has another instruction
    /// after it.
    private var alignment: UInt64 {
        switch family {
        case "arm": 2
        case "arm64", "arm64_32", "mips", "mips64": 4
        default: 1
        }
    }

    private var step: UInt64 { family.hasPrefix("mips") ? 8 : alignment }
}
