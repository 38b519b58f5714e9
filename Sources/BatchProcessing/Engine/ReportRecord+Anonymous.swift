internal import BinaryPrimitives
internal import CrashReports

extension LogOutcome.Report {
    /// Removes the names of users, hosts and devices from all texts at once: a name from a path is
    /// also removed from a message.
    ///
    /// - Parameter log: the log's bytes, if available: names from its fields (`User Name:`) are
    ///   then found in the texts. Empty otherwise.
    mutating func anonymize(_ anonymizer: Anonymizer, log: [UInt8]) {
        var texts: [String] = []
        forEachText { texts.append($0) }
        var joined = log
        var starts: [Int] = []
        for text in texts {
            // A line of its own; line breaks in it stay what they are.
            joined.append(0x0A)
            starts.append(joined.count)
            joined += Array(text.utf8)
        }
        let changed = anonymizer.bytes(joined.span)
        // Every replacement is as long as what it replaces.
        guard changed.count == joined.count else { return }
        var index = 0
        forEachText { text in
            let start = starts[index]
            index += 1
            text = String(decoding: changed[start..<start + text.utf8.count], as: UTF8.self)
        }
    }

    /// Every text that comes from the log, or says where something is, in one order.
    private mutating func forEachText(_ body: (inout String) -> Void) {
        func change(_ text: inout String?) {
            guard var plain = text else { return }
            body(&plain)
            text = plain
        }
        change(&process)
        change(&identifier)
        change(&version)
        change(&causeType)
        change(&message)
        change(&meaning)
        change(&device)
        body(&signature.title)
        for index in images.indices {
            body(&images[index].image.name)
            change(&images[index].image.path)
            change(&images[index].image.reason)
        }
        for stack in stacks.indices {
            change(&stacks[stack].name)
            for frame in stacks[stack].frames.indices {
                change(&stacks[stack].frames[frame].printed)
                change(&stacks[stack].frames[frame].reason)
                for function in stacks[stack].frames[frame].functions.indices {
                    change(&stacks[stack].frames[frame].functions[function].file)
                }
            }
        }
    }
}
