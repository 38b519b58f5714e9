/// Functions of Go's runtime whose caller is not found as that of other functions.
enum GoRuntimeFunction: String {
    /// The handler of a signal lets the instruction that was executing call one of these: the frame above is interrupted, and no call
    /// ends there. For a crash (Go, src/runtime/signal_amd64.go, `preparePanic`), for preemption (src/runtime/preempt.go), and for a
    /// debugger (src/runtime/debugcall.go); the same three in src/runtime/traceback.go, `injectedCall`.
    case panic = "runtime.sigpanic"
    case panicEntry = "runtime.sigpanic0"
    case preempt = "runtime.asyncPreempt"
    case debugCall = "runtime.debugCallV2"
    case olderDebugCall = "runtime.debugCallV1"
    /// Both run a function on the thread's own stack, for a goroutine whose stack is elsewhere (Go, src/runtime/asm_amd64.s).
    case systemStack = "runtime.systemstack"
    case moreStack = "runtime.morestack"

    /// - Parameter name: as in the program's line table. Functions of assembly end in the name of their calling convention.
    init?(name: String) { self.init(rawValue: name.hasSuffix(".abi0") ? String(name.dropLast(5)) : name) }

    var switchesStacks: Bool { self == .systemStack || self == .moreStack }
}
