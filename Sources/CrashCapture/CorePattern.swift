internal import BinaryPrimitives
internal import LibC

/// The rule by which the system names core files: `/proc/sys/kernel/core_pattern` (core(5), "Naming of core dump files").
///
/// For example `core` in the process' working directory, `/var/cores/%e.%p`, or `|/usr/lib/systemd/systemd-coredump %P …`, which gives them to
/// a program.
package struct CorePattern: Sendable {
    /// The program or the directory that keeps the core files.
    package enum Keeper: Sendable, Hashable {
        /// Nobody.
        case none
        /// The kernel writes a file.
        case kernel
        /// `/var/lib/systemd/coredump` (systemd-coredump(8)).
        case systemd
        /// `/var/lib/apport/coredump`, a report in `/var/crash`; older ones write `core` in the working directory (apport, data/apport).
        case apport
        /// Another program: its path.
        case program(String)
    }

    package let keeper: Keeper
    private let path: String
    /// The working directory of the processes.
    private let folder: String
    /// Root directory of the system.
    private let root: String

    /// - Parameters:
    ///   - text: the contents of `/proc/sys/kernel/core_pattern`.
    ///   - folder: the working directory of the processes; a relative pattern counts from it.
    ///   - root: the directory that the collectors' folders are in.
    package init(_ text: String = CorePattern.systemText, folder: String, root: String = "/") {
        self.folder = folder
        self.root = root
        guard text.hasPrefix("|") else {
            keeper = text.isEmpty ? .none : .kernel
            path = text
            return
        }
        let program = String(text.dropFirst().drop { $0 == " " }.prefix { $0 != " " })
        switch Path.name(of: program) {
        case "systemd-coredump": (keeper, path) = (.systemd, "")
        case "apport": (keeper, path) = (.apport, "core")
        default: (keeper, path) = (.program(program), "")
        }
    }

    package static var systemText: String {
        let bytes = (try? FileDescriptor.readAll(atPath: "/proc/sys/kernel/core_pattern")) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Core files are in the working directory, where those of other programs are not expected.
    package var isInWorkingDirectory: Bool { keeper == .kernel && !path.contains("/") }

    /// Why there is no core file of a process that a signal ended; `nil` where nothing is known.
    package var reasonForNone: String? {
        switch keeper {
        case .none: "The system keeps no core files (/proc/sys/kernel/core_pattern is empty)."
        case .program(let program): "The system gives core files to \(program), where cairn cannot read them."
        case .kernel: CoreLimit.isForbidden ? "No core file was kept: the hard limit is 0 (ulimit -H -c)." : nil
        case .systemd: "The system gives core files to systemd-coredump, which has none that can be read here: coredumpctl list."
        case .apport: "The system gives core files to apport, which has none that can be read here: see /var/log/apport.log."
        }
    }

    // MARK: - Files

    /// Paths of core files of a process.
    /// - Parameters:
    ///   - process: `nil` for any. Names without a process' number are for each.
    ///   - program: the path of its program; apport's reports are named by it.
    package func files(of process: Int32?, program: String? = nil) -> [String] {
        let written = path.isEmpty ? [] : files(process)
        switch keeper {
        case .none, .program, .kernel: return written
        case .systemd: return collected(in: "var/lib/systemd/coredump", process)
        case .apport:
            return written + collected(in: "var/lib/apport/coredump", process) + (program.map { reports(of: $0) } ?? [])
        }
    }

    /// Files of a collector, whose names end in the process' number and a time:
    /// `core.NAME.USER.BOOT.PROCESS.TIME`, with systemd's `.zst`, `.lz4` or `.xz`.
    private func collected(in directory: String, _ process: Int32?) -> [String] {
        let directory = Path.join(root, directory)
        let names = (try? Directory.names(in: directory)) ?? []
        return names.sorted().filter { name in
            var fields = name.split(separator: ".", omittingEmptySubsequences: false)
            if let last = fields.last, ["zst", "lz4", "xz"].contains(last) { fields.removeLast() }
            guard fields.count >= 6, fields[0] == "core", let number = Int32(fields[fields.count - 2]) else { return false }
            return process == nil || number == process
        }.map { Path.join(directory, $0) }
    }

    /// apport's reports, which have the core in them: `_usr_bin_ferry.1000.crash` of `/usr/bin/ferry`.
    private func reports(of program: String) -> [String] {
        let directory = Path.join(root, "var/crash")
        let beginning = program.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "_") + "."
        let names = (try? Directory.names(in: directory)) ?? []
        return names.sorted().filter { $0.hasPrefix(beginning) && $0.hasSuffix(".crash") }.map { Path.join(directory, $0) }
    }

    /// Files whose paths the kernel may have made of the pattern. A part with a field is any name that fits.
    private func files(_ process: Int32?) -> [String] {
        var directories = [path.hasPrefix("/") ? root : folder]
        let parts = path.split(separator: "/")
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let pattern = Self.fields(part)
            if !isLast, case .text(let name)? = pattern.first, pattern.count == 1 {
                directories = directories.map { Path.join($0, String(decoding: name, as: UTF8.self)) }
                continue
            }
            directories = directories.flatMap { directory in
                let names = ((try? Directory.names(in: directory)) ?? []).sorted().filter { name in
                    let bytes = Array(name.utf8)
                    return Self.fits(bytes[...], pattern[...], process)
                        // kernel.core_uses_pid adds the number to names without one.
                        || isLast && !pattern.contains(.process)
                            && Self.fits(bytes[...], (pattern + [.text([UInt8(ascii: ".")]), .process])[...], process)
                }
                return names.map { Path.join(directory, $0) }
            }
        }
        return directories
    }

    private enum Field: Equatable {
        case text([UInt8])
        case process
        case number
        case anything
    }

    private static func fields(_ part: Substring) -> [Field] {
        var fields: [Field] = []
        var text: [UInt8] = []
        var isField = false
        func finishText() {
            if !text.isEmpty { fields.append(.text(text)) }
            text = []
        }
        for byte in part.utf8 {
            guard isField else {
                if byte == UInt8(ascii: "%") { isField = true } else { text.append(byte) }
                continue
            }
            isField = false
            switch byte {
            case UInt8(ascii: "%"): text.append(byte)
            case UInt8(ascii: "p"), UInt8(ascii: "P"):
                finishText()
                fields.append(.process)
            case UInt8(ascii: "c"), UInt8(ascii: "d"), UInt8(ascii: "g"), UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "s"),
                UInt8(ascii: "t"), UInt8(ascii: "u"):
                finishText()
                fields.append(.number)
            case UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "f"), UInt8(ascii: "h"):
                finishText()
                fields.append(.anything)
            // The kernel leaves out others.
            default: break
            }
        }
        finishText()
        return fields
    }

    private static func fits(_ name: ArraySlice<UInt8>, _ fields: ArraySlice<Field>, _ process: Int32?) -> Bool {
        guard let field = fields.first else { return name.isEmpty }
        let rest = fields.dropFirst()
        switch field {
        case .text(let text): return name.starts(with: text) && fits(name.dropFirst(text.count), rest, process)
        case .process where process != nil:
            return fits(name, [.text(Array(String(process ?? 0).utf8))] + rest, process)
        case .process, .number:
            let digits = name.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
            return digits > 0 && (1...digits).contains { fits(name.dropFirst($0), rest, process) }
        case .anything: return (0...name.count).contains { fits(name.dropFirst($0), rest, process) }
        }
    }
}
