internal import BinaryPrimitives

/// Why a part of the debug information cannot be read: which section, where, and what was expected.
package struct DWARFError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The section's name as ELF has it (`.debug_info`).
    package var section: String
    /// Bytes from the section's first byte; for a read that ran out, where the data ended.
    package var offset: Int
    package var problem: String

    package init(_ section: DWARFSections.Name, at offset: Int, _ problem: String) {
        self.section = section.elfName
        self.offset = offset
        self.problem = problem
    }

    /// A read that failed in bytes whose end is at `end` of the section.
    init(_ section: DWARFSections.Name, endingAt end: Int, _ error: ReadError) {
        self.init(section, at: end - error.bytesLeft, error.description)
    }

    /// Calls that were inlined into one another, more of them than `Limits.inlineDepth`.
    /// - Parameter offset: of the innermost one's entry.
    init(nestedTooDeeply offset: Int) {
        self.init(.info, at: offset, "inlined calls are nested deeper than \(Limits.standard.inlineDepth)")
    }

    package var description: String { "\(section) at 0x\(String(offset, radix: 16)): \(problem)" }
}
