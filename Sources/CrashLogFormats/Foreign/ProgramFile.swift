internal import BinaryPrimitives
internal import CrashLogModel

/// A program, a library or an object file in the place of a log: the arguments were mixed up, or a
/// shell's pattern matched more than logs.
package enum ProgramFile {
    package static func recognise(_ start: Span<UInt8>) -> ForeignFile? {
        guard let kind = isELF(start) ? "an ELF file" : isMachO(start) ? "a Mach-O file" : nil else { return nil }
        return ForeignFile(
            name: "program", kind: "\(kind) (a program, a library or debug information)", command: "cairn LOG --symbols", makesLog: false,
            advice: "To use it for symbols")
    }

    /// `e_ident` and `e_type` (gABI 4.1): relocatable, executable or shared; a core file is
    /// something else.
    private static func isELF(_ start: Span<UInt8>) -> Bool {
        guard start.hasPrefix("\u{7F}ELF"), start.count >= 20, let order = start.at(5), order == 1 || order == 2 else { return false }
        let type = order == 1 ? (start[16], start[17]) : (start[17], start[16])
        return (1...3).contains(type.0) && type.1 == 0
    }

    /// `MH_MAGIC`, `MH_MAGIC_64` in both byte orders (mach-o/loader.h). A universal file begins as
    /// a Java class does, and is known by its control characters alone.
    private static func isMachO(_ start: Span<UInt8>) -> Bool {
        guard start.count >= 28 else { return false }
        switch (start[0], start[1], start[2], start[3]) {
        case (0xCE, 0xFA, 0xED, 0xFE), (0xCF, 0xFA, 0xED, 0xFE), (0xFE, 0xED, 0xFA, 0xCE), (0xFE, 0xED, 0xFA, 0xCF): return true
        default: return false
        }
    }
}
