internal import BinaryPrimitives

/// Formats of compilers, linkers and systems other than ELF, Mach-O, PE and WebAssembly, and the files to give
/// instead.
enum ForeignFormat {
    /// Bytes from the file's first that all formats are known by.
    private static let headSize = 64

    /// - Returns: the sentence; `nil` for a file of no format that is known.
    static func sentence(_ file: MappedFile) -> String? {
        let head = file.bytes(in: 0..<min(headSize, file.size))
        func begins(_ text: String) -> Bool { head.starts(with: text.utf8) }
        if begins("Microsoft C/C++ MSF 7.00") {
            return "a PDB file, which is not supported. Use the Breakpad symbol file that dump_syms writes for it"
        }
        if head.starts(with: [0x42, 0x43, 0xc0, 0xde]) || head.starts(with: [0xde, 0xc0, 0x17, 0x0b]) {
            return "LLVM bitcode, which has no machine code. Use the linked program, or its dSYM"
        }
        if begins("dyld_v1") {
            return
                "a shared cache of Apple's systems (dyld): expected one of its images, such as \(file.path)\(MemberPath.separator)usr/lib/libobjc.A.dylib. List them: cairn inspect \(file.path)"
        }
        if begins("MDMP") {
            return "a minidump, which is a crash and not a symbol file. Use the output of minidump-stackwalk as the log"
        }
        if let type = imageType(head) {
            return "an image in Apple's firmware container (\(type)), which is not supported. Extract it with “ipsw img4”"
        }
        // `IMPORT_OBJECT_HEADER` and `ANON_OBJECT_HEADER` of winnt.h: an import, and an object of the compiler's own format.
        if head.starts(with: [0, 0, 0xff, 0xff]), head.count >= 20 {
            return "an import or an object of link-time code generation (cl /GL), which has no machine code. Use the linked program"
        }
        if head.starts(with: [0x01, 0xdf]) || head.starts(with: [0x01, 0xf7]) { return "an XCOFF file of AIX, which is not read" }
        return nil
    }

    /// `IMG4` or `IM4P`: a DER sequence whose first element is that text (`IA5String`).
    private static func imageType(_ head: [UInt8]) -> String? {
        guard head.count > 16, head[0] == 0x30 else { return nil }
        // The length: one byte, or how many bytes it has in the low bits of the first.
        let start = head[1] < 0x80 ? 2 : 2 + Int(head[1] & 0x7f)
        guard start <= 6, Array(head[start..<start + 2]) == [0x16, 4] else { return nil }
        let type = String(decoding: head[start + 2..<start + 6], as: UTF8.self)
        return ["IMG4", "IM4P"].contains(type) ? type : nil
    }
}
