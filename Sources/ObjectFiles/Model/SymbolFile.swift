public import BinaryPrimitives

/// A file that holds the symbols of one image, whatever its format: an object file, or a format that holds symbols alone (Breakpad's, GSYM).
public protocol SymbolFile: Sendable {
    /// Where the file lies.
    var path: String { get }
    /// The machine that the symbols are for; `nil` where the format does not tell.
    var machine: Architecture? { get }
    /// Build ID or UUID; `nil` where the file has none.
    var identity: ImageID? { get }
    /// Where the image's first mapped byte is linked, as the file tells it.
    var baseAddress: LinkAddress { get }
    /// Bytes in memory from there to the end of the image's last mapped byte; `nil` where the file does not tell.
    var imageSize: UInt64? { get }
    /// Whether the file itself tells lines, not only names (or the name of a file that does).
    var hasDebugInformation: Bool { get }
    /// Whether it is the binary itself, code included: debug files have lost their segments' places in the file.
    var holdsCode: Bool { get }
}

extension ObjectFile: SymbolFile {
    public var machine: Architecture? { architecture }

    /// Whether the file itself holds DWARF.
    public var hasDebugInformation: Bool {
        [".debug_info", "__debug_info", ".zdebug_info", "__zdebug_info"].contains { name in
            section(named: name).map { !$0.fileRange.isEmpty } ?? false
        }
    }

    public var imageSize: UInt64? {
        let ends = description.segments.filter { $0.name != "__PAGEZERO" }.compactMap { $0.address.advanced(by: $0.size)?.value }
        return ends.max().flatMap { $0 > baseAddress.value ? $0 - baseAddress.value : nil }
    }

    public var holdsCode: Bool { description.kind != .debugCompanion }
}
