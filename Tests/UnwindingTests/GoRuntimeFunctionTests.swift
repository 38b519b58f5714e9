import Testing

@testable import Unwinding

/// Names as Go's line table has them (cmd/link/internal/ld/pcln.go). RunTests has the stacks.
struct GoRuntimeFunctionTests {
    @Test(arguments: [
        ("runtime.sigpanic", GoRuntimeFunction.panic), ("runtime.systemstack", .systemStack), ("runtime.systemstack.abi0", .systemStack),
        ("runtime.morestack.abi0", .moreStack), ("runtime.sigpanic0", .panicEntry), ("runtime.asyncPreempt.abi0", .preempt),
        ("runtime.debugCallV2", .debugCall),
    ])
    func `functions whose caller is found in another way are known by name`(name: String, function: GoRuntimeFunction) {
        #expect(GoRuntimeFunction(name: name) == function)
    }

    /// `systemstack_switch` is a mark on a goroutine's stack, and `morestack_noctxt` jumps (Go, src/runtime/asm_amd64.s).
    @Test(arguments: ["runtime.systemstack_switch", "runtime.morestack_noctxt", "runtime.gopanic", "main.sigpanic", ".abi0", ""])
    func `other functions are not`(name: String) { #expect(GoRuntimeFunction(name: name) == nil) }

    @Test func `those that run a function on the thread's stack switch stacks`() {
        #expect(GoRuntimeFunction.systemStack.switchesStacks && GoRuntimeFunction.moreStack.switchesStacks)
        #expect(!GoRuntimeFunction.panic.switchesStacks && !GoRuntimeFunction.preempt.switchesStacks)
    }
}
