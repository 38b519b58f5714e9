extension ThreadTrace {
    /// Index in `frames` at which the stack of the event itself begins: below the signal handler
    /// that printed the stack, at the frame that the signal interrupted.
    ///
    ///     0  handler       return address: it called backtrace(3)
    ///     1  __restore_rt
    ///     2  load          what was executing: 2 is the result
    ///     3  main
    ///
    /// 0 for stacks that a handler did not print.
    package var interruptedIndex: Int {
        guard !isCallTree, let first = frames.first, first.kind == .returnAddress,
            var index = frames.firstIndex(where: { $0.kind == .programCounter })
        else { return 0 }
        // Inlined calls come before the function that holds them.
        while index > 0, frames[index - 1].isInlined, frames[index - 1].address == frames[index].address { index -= 1 }
        return index
    }
}
