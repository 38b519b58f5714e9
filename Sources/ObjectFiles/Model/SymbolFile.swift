package import BinaryPrimitives

/// A file with the symbols of one image, in any format: an object file, or a format that holds
/// symbols alone (Breakpad's, GSYM).
package protocol SymbolFile: AnyObject, Sendable {
    /// Path of the file.
    var path: String { get }
    /// The machine that the symbols are for; `nil` where the format does not name it.
    var machine: Architecture? { get }
    /// Build ID or UUID; `nil` where the file has none.
    var identity: ImageID? { get }
    /// GUID and age of a PDB file, `F4F8DFCD5A5FB5A7CE64717E9E6AE3891`: the linker increments the
    /// age with each link. `nil` except for Windows.
    var debugIdentifier: String? { get }
    /// Timestamp and size of a PE image, as symbol servers name it: `4BA9B29C180000`. `nil` except for Windows.
    var codeIdentifier: String? { get }
    /// Link address of the image's first mapped byte, according to the file.
    var baseAddress: LinkAddress { get }
    /// Bytes in memory from there to the end of the image's last mapped byte; `nil` where the file
    /// does not give the size.
    var imageSize: UInt64? { get }
    /// Whether the file itself has lines, not only names (or the name of a file that has lines).
    var hasDebugInformation: Bool { get }
    /// Whether it is the binary itself, code included: the segments of debug files no longer have
    /// their offsets in the file.
    var holdsCode: Bool { get }
}

extension SymbolFile {
    package var debugIdentifier: String? { nil }
    package var codeIdentifier: String? { nil }
}

extension ObjectFile: SymbolFile {
    package var machine: Architecture? { architecture }
    package var debugIdentifier: String? { description.debugIdentifier }
    package var codeIdentifier: String? { description.codeIdentifier }

    /// Whether the file itself holds DWARF.
    package var hasDebugInformation: Bool {
        [".debug_info", "__debug_info", ".zdebug_info", "__zdebug_info"].contains { name in
            section(named: name).map { !$0.fileRange.isEmpty } ?? false
        }
    }

    package var imageSize: UInt64? {
        let ends = description.segments.filter { $0.name != "__PAGEZERO" }.compactMap { $0.address.advanced(by: $0.size)?.value }
        return ends.max().flatMap { $0 > baseAddress.value ? $0 - baseAddress.value : nil }
    }

    package var holdsCode: Bool { description.kind != .debugCompanion }
}
