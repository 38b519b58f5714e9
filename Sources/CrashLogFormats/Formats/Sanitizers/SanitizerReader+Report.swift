internal import BinaryPrimitives
internal import CrashLogModel

extension SanitizerReader {
    /// The report so far; `nil` where no stack came, unless the heading says all there is.
    func report() -> CrashReport? {
        guard stacks.contains(where: { !$0.frames.isEmpty }) || isUndefinedBehavior && cause != nil || hasEmptyStack else { return nil }
        guard !standsAlone || hasOwnRows else { return nil }
        var report = CrashReport(format: format)
        report.process.pid = pid
        report.cause = cause?.cause
        report.architecture = architecture
        report.images = images.images
        if standsAlone { report.notes.append("These rows are not inside a sanitizer's report.") }
        if hasEmptyStack { report.notes.append("The runtime could not walk a stack: it is empty.") }
        let sorted = SortedImages(report.images)
        for (index, stack) in stacks.enumerated() {
            var stack = stack
            InlinedRows.mark(&stack.frames)
            for index in stack.frames.indices where stack.frames[index].image == nil {
                stack.frames[index].image = stack.frames[index].address.flatMap { sorted.index(containing: $0) }
            }
            if index == 0, tool != .leak {
                var thread = ThreadTrace(index: cause?.thread ?? 0, name: cause?.threadName, crashed: !standsAlone, frames: stack.frames)
                let values = registers.values.isEmpty ? cause?.registers ?? [] : registers.values
                if !values.isEmpty { thread.registers = RegisterState(values: values) }
                report.threads = [thread]
            } else {
                stack.index = report.additionalBacktraces.count
                report.additionalBacktraces.append(stack)
            }
        }
        return report
    }
}
