/// Functions of Go's runtime whose caller is not found as that of other functions.
enum GoRuntimeFunction: String {
    /// The handler of a signal lets the instruction that crashed call it: the frame above is interrupted, and no call ends there (Go,
    /// src/runtime/signal_amd64.go, `preparePanic`).
    case panic = "runtime.sigpanic"
    /// Both run a function on the thread's own stack, for a goroutine whose stack is elsewhere (Go, src/runtime/asm_amd64.s).
    case systemStack = "runtime.systemstack"
    case moreStack = "runtime.morestack"

    /// - Parameter name: as in the program's line table. Functions of assembly end in the name of their calling convention.
    init?(name: String) { self.init(rawValue: name.hasSuffix(".abi0") ? String(name.dropLast(5)) : name) }

    var switchesStacks: Bool { self != .panic }
}
