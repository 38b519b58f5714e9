internal import BinaryPrimitives
internal import CrashLogModel

/// A kind of file that contains a process's memory instead of text, and of which a report is made.
package enum MemoryFormat: String, CaseIterable, Sendable {
    /// An ELF file of type `ET_CORE` (core(5)).
    case core = "elf-core"
    /// `MINIDUMP_HEADER` (minidumpapiset.h), in either byte order.
    case minidump

    /// - Parameter start: the file's first bytes.
    package init?(_ start: Span<UInt8>) {
        if start.hasPrefix("MDMP") || start.hasPrefix("PMDM") {
            self = .minidump
        } else if start.hasPrefix("\u{7F}ELF"), start.count >= Self.magicLength,
            // `e_type`, in the byte order that `e_ident` says; 4 is `ET_CORE`.
            start[5] == 2 ? (start[16], start[17]) == (0, 4) : (start[16], start[17]) == (4, 0)
        {
            self = .core
        } else {
            return nil
        }
    }

    /// How many bytes decide.
    package static let magicLength = 18

    /// Whether bytes that are this few may become the beginning of one when more have come.
    package static func mayBegin(_ start: Span<UInt8>) -> Bool {
        start.count < magicLength
            && ["MDMP", "PMDM", "\u{7F}ELF"].contains { magic in zip(magic.utf8, 0..<start.count).allSatisfy { $0 == start[$1] } }
    }

    /// For people.
    package var kind: String {
        switch self {
        case .core: "a core file"
        case .minidump: "a minidump"
        }
    }

    /// As `cairn formats` lists it.
    package var summary: String {
        switch self {
        case .core: "Core files of Linux: every thread's stack, unwound from memory; also compressed, and inside apport's reports"
        case .minidump: "Minidumps of Windows, Linux, Android and macOS (Breakpad, Crashpad): every thread's stack, unwound from memory"
        }
    }

    /// Description for readers of text that get such a file: the library's own readers, and the
    /// input of a filter.
    var asForeignFile: ForeignFile { ForeignFile(name: rawValue, kind: kind, command: "cairn", printsLog: false) }
}
