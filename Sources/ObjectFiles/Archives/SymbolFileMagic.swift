internal import BinaryPrimitives

/// Classifies a file by its first bytes, before it is opened.
package enum SymbolFileMagic {
    private static let machO: [[UInt8]] = [
        [0xce, 0xfa, 0xed, 0xfe], [0xcf, 0xfa, 0xed, 0xfe], [0xfe, 0xed, 0xfa, 0xce], [0xfe, 0xed, 0xfa, 0xcf],
    ]
    /// ELF; universal files; Breakpad's `MODULE`; GSYM of either byte order; WebAssembly.
    private static let others: [[UInt8]] = [
        [0x7f, 0x45, 0x4c, 0x46], [0xca, 0xfe, 0xba, 0xbe], [0xca, 0xfe, 0xba, 0xbf], Array("MODU".utf8), Array("GSYM".utf8),
        Array("MYSG".utf8), Array("\0asm".utf8),
    ]

    /// Whether the file may hold symbols: the first four bytes distinguish most files. PE's are those
    /// of a program of DOS, `MZ`.
    package static func begins(_ head: [UInt8]) -> Bool {
        head.starts(with: "MZ".utf8) || (machO + others).contains(Array(head.prefix(4)))
    }

    /// Length in bytes of the header and load commands of a Mach-O file with one image: its
    /// identity and its sections are in them.
    /// - Parameter head: the first 32 bytes.
    package static func lengthOfMachOHeader(_ head: [UInt8]) -> Int? {
        guard head.count >= 32, machO.contains(Array(head.prefix(4))) else { return nil }
        func number(_ field: ArraySlice<UInt8>) -> Int {
            head[0] == 0xfe ? field.reduce(0) { $0 << 8 | Int($1) } : field.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        // `filetype` is the fourth field. The images of a kernel cache (MH_FILESET) have their
        // headers anywhere in the file.
        guard number(head[12..<16]) != 12 else { return nil }
        // `sizeofcmds` is the sixth field; the header of 64-bit files has one more after the
        // seventh.
        return 32 + number(head[20..<24])
    }
}
