internal import BinaryPrimitives
internal import CrashLogModel

/// A core file: an ELF file of type `ET_CORE`, the memory of a process (core(5)).
package enum ELFCore {
    package static func recognise(_ start: Span<UInt8>) -> ForeignFile? {
        let bytes = start.rawBytes
        guard start.hasPrefix("\u{7F}ELF"), let is64Bit = start.at(4).map({ $0 == 2 }), let order = start.at(5).map(byteOrder),
            // `e_type`; 4 is `ET_CORE`.
            number(bytes, at: 16, size: 2, order) == 4
        else { return nil }
        let process = process(in: bytes, is64Bit: is64Bit, order)
        let program = process?.program ?? "PROGRAM"
        return ForeignFile(
            name: "elf-core", kind: "a core file" + (process.map { " of \($0.name)" } ?? ""),
            // `info proc mappings` gives the libraries' load addresses, which `bt` does not.
            command: "gdb -batch -ex 'thread apply all bt' -ex 'info proc mappings' \(program)")
    }

    private static func byteOrder(_ byte: UInt8) -> ByteOrder { byte == 2 ? .bigEndian : .littleEndian }

    /// Notes of a core that are looked through: each thread has some.
    private static let mostNotes = 4096

    /// The process' name and program out of the note `NT_PRPSINFO` (`struct elf_prpsinfo`,
    /// linux/elfcore.h), which Linux writes near the file's beginning.
    private static func process(in bytes: RawSpan, is64Bit: Bool, _ order: ByteOrder) -> (name: String, program: String?)? {
        guard let table = number(bytes, at: is64Bit ? 32 : 28, size: is64Bit ? 8 : 4, order),
            let size = number(bytes, at: is64Bit ? 54 : 42, size: 2, order),
            let count = number(bytes, at: is64Bit ? 56 : 44, size: 2, order)
        else { return nil }
        for index in 0..<count {
            let header = table &+ index &* size
            // `p_type`; 4 is `PT_NOTE`.
            guard let type = number(bytes, at: header, size: 4, order) else { return nil }
            guard type == 4, let offset = number(bytes, at: header &+ (is64Bit ? 8 : 4), size: is64Bit ? 8 : 4, order),
                let length = number(bytes, at: header &+ (is64Bit ? 32 : 16), size: is64Bit ? 8 : 4, order)
            else { continue }
            return process(inNotesAt: offset, length, of: bytes, is64Bit: is64Bit, order)
        }
        return nil
    }

    private static func process(
        inNotesAt start: UInt64, _ length: UInt64, of bytes: RawSpan, is64Bit: Bool, _ order: ByteOrder
    ) -> (name: String, program: String?)? {
        var note = start
        for _ in 0..<mostNotes {
            guard note >= start, note - start < length, let nameSize = number(bytes, at: note, size: 4, order),
                let size = number(bytes, at: note &+ 4, size: 4, order), let type = number(bytes, at: note &+ 8, size: 4, order)
            else { return nil }
            let content = note &+ 12 &+ (nameSize &+ 3) & ~3
            if type == 3 {
                // `pr_fname` (16 bytes) and `pr_psargs` (80) are the structure's last members, on
                // every machine.
                guard size >= 96, let name = text(bytes, at: content &+ size &- 96, limit: 16),
                    let arguments = text(bytes, at: content &+ size &- 80, limit: 80), !name.isEmpty
                else { return nil }
                let program = arguments.split(separator: " ").first.map(String.init)
                // A program that changed its title, or a cut path, is no path.
                return (name, program.flatMap { $0.hasPrefix("/") && Path.foreignName(of: $0).hasPrefix(name) ? $0 : nil })
            }
            note = content &+ (size &+ 3) & ~3
        }
        return nil
    }

    private static func number(_ bytes: RawSpan, at offset: UInt64, size: Int, _ order: ByteOrder) -> UInt64? {
        guard var rest = try? bytes.slice(at: offset, count: UInt64(size)) else { return nil }
        return try? rest.takeUnsigned(size: size, order)
    }

    /// Printable text up to a zero.
    private static func text(_ bytes: RawSpan, at offset: UInt64, limit: Int) -> String? {
        guard let field = try? bytes.slice(at: offset, count: UInt64(limit)) else { return nil }
        let letters = (0..<field.byteCount).map { field.byte(at: $0) }.prefix { $0 != 0 }
        return letters.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? String(decoding: letters, as: UTF8.self) : nil
    }
}
