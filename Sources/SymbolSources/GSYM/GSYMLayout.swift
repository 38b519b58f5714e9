internal import BinaryPrimitives

/// The layout of a GSYM file, version 1: functions by address, for symbolication alone (LLVM's
/// `DebugInfo/GSYM`). In the byte order of the machine that the image is for.
///
///     header         48 bytes
///                    u32 magic 0x4753594d ("GSYM"), u16 version 1, u8 size of an address offset (1, 2, 4, 8), u8 size of the identity (0 to 20)
///                    u64 base address, u32 number of functions, u32 and u32 place and size of the texts, 20 bytes of identity
///     addresses      aligned to their own size: for each function its start, less the base address; ascending
///     places         aligned to 4: for each function, in the same order, u32 where its description is in the file
///     files          u32 count, and for each u32 folder, u32 name, both texts; the first is no file (0, 0)
///     texts          each ends with a zero byte, and is meant by its distance from the first; the first is empty
///     descriptions   aligned to 4: u32 size of the function (0: the symbol table did not give it), u32 name (a text, never 0), and records: u32 kind, u32 length, as many bytes, up to kind 0
///
/// Kinds: 1 lines, 2 inlined calls, 3 functions whose code was merged with this one, 4 call sites.
/// Those that are not known are passed over.
///
/// Lines are a program for a machine with address (the function's start at first), file (1), line.
/// SLEB least difference of lines, SLEB greatest, ULEB first line; then opcodes:
///
///     0 end
///     1 ULEB         the file
///     2 ULEB         moves the address; a row
///     3 SLEB         moves the line
///     4 to 255       less 4, divided by the number of differences: moves the address by the quotient and the line by the least difference and the remainder; a row
///
/// A row holds from its address to the next row's, the last to the function's end. File 0 and line
/// 0: none.
///
/// Inlined calls are a tree, whose root is the function itself. A node: ULEB number of ranges, for
/// each ULEB start and ULEB size; u8 whether it has children, u32 name, ULEB file and ULEB line of
/// the call (0 in the root); children, the last of which has no ranges and nothing else. Ranges
/// count from the first range of the parent, the root's from the function's start.
enum GSYMLayout {
    static let magic: UInt32 = 0x4753_594d
    static let version: UInt16 = 1
    static let headerSize = 48
    static let identitySize = 20

    enum Record {
        static let end: UInt32 = 0
        static let lines: UInt32 = 1
        static let inlinedCalls: UInt32 = 2
    }

    enum LineOpcode {
        static let end: UInt8 = 0
        static let setFile: UInt8 = 1
        static let advanceAddress: UInt8 = 2
        static let advanceLine: UInt8 = 3
        static let firstSpecial: UInt8 = 4
    }

    /// Start of a table whose entries have `size` bytes: the position, rounded up to a multiple of `size`.
    static func aligned(_ position: Int, to size: Int) -> Int { (position + size - 1) / size * size }
}
