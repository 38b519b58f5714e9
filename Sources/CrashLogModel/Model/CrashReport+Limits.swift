package import BinaryPrimitives

extension CrashReport {
    /// Removes the parts beyond the limits of a report, and notes that. If a cap is met exactly,
    /// the format may have left out the rest already.
    package mutating func cut(to limits: Limits) {
        if images.count >= limits.images {
            images.removeSubrange(limits.images...)
            changeStacks { stack in
                for index in stack.frames.indices where (stack.frames[index].image ?? 0) >= limits.images {
                    stack.frames[index].image = nil
                }
            }
            noteCut("The report has \(limits.images) images or more: further ones are not in it.")
        }
        if max(threads.count, additionalBacktraces.count) >= limits.threads {
            threads.removeSubrange(min(limits.threads, threads.count)...)
            additionalBacktraces.removeSubrange(min(limits.threads, additionalBacktraces.count)...)
            noteCut("The report has \(limits.threads) threads or more: further ones are not in it.")
        }
        var longest = 0
        var count = 0
        changeStacks { stack in
            longest = max(longest, stack.frames.count)
            if stack.frames.count > limits.framesPerThread { stack.frames.removeSubrange(limits.framesPerThread...) }
            count += stack.frames.count
        }
        if longest >= limits.framesPerThread {
            noteCut("A stack has \(limits.framesPerThread) frames or more: further ones are not in it.")
        }
        guard count > limits.framesPerReport else { return }
        noteCut("The report has more than \(limits.framesPerReport) frames: further ones are not in it.")
        var left = limits.framesPerReport
        // The thread that crashed comes first, wherever it is in the report.
        for hasCrashed in [true, false] {
            changeStacks { stack in
                guard stack.crashed == hasCrashed else { return }
                if stack.frames.count > left { stack.frames.removeSubrange(left...) }
                left -= stack.frames.count
            }
        }
    }

    /// Notes that something of the log was left out.
    package mutating func noteCut(_ sentence: String) {
        notes.append(sentence)
        cuts.append(sentence)
    }
}
