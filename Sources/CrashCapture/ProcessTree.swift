internal import BinaryPrimitives
internal import LibC

/// A process and all that it has started, directly or not (`/proc/PID/stat`, proc(5)).
///
/// A runner of tests puts the tests into processes, and often groups, of their own: a signal to
/// itself, or to its group, does not reach them.
package struct ProcessTree: Sendable {
    /// Its own number first.
    package let processes: [Int32]
    /// Those that have started nothing that still runs.
    package let leaves: [Int32]

    /// Processes that are looked at.
    private static let maxProcesses = 1 << 16

    /// - Parameter process: the root. If the system lists no others, it is alone.
    package init(of process: Int32) {
        var children: [Int32: [Int32]] = [:]
        for name in ((try? Directory.names(in: "/proc")) ?? []).prefix(Self.maxProcesses) {
            guard let number = Int32(name), let parent = Self.parent(of: number) else { continue }
            children[parent, default: []].append(number)
        }
        var found = [process]
        var leaves: [Int32] = []
        var next = 0
        while next < found.count {
            let own = children[found[next]] ?? []
            if own.isEmpty { leaves.append(found[next]) }
            found += own.filter { !found.contains($0) }
            next += 1
        }
        processes = found
        self.leaves = leaves
    }

    /// The fourth field; the second, a name in parentheses, may hold anything. A zombie (`Z`),
    /// which has ended and waits for its parent, starts no process and receives no signal.
    private static func parent(of process: Int32) -> Int32? {
        guard let bytes = try? FileDescriptor.readAll(atPath: "/proc/\(process)/stat"), let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else {
            return nil
        }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, fields[0].first != UInt8(ascii: "Z") else { return nil }
        return Int32(String(decoding: fields[1], as: UTF8.self))
    }

    /// Sends a signal to some of them.
    package static func send(_ signal: Int32, to processes: [Int32]) { for process in processes { _ = kill(process, signal) } }
}
