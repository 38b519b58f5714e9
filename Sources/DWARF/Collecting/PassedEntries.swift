internal import BinaryPrimitives

/// Which entries are passed over when all subroutines of a unit are wanted.
///
/// gcc tells of every entry with children where its next sibling stands. Enumerations, arrays, subroutine types and call sites hold no code; structures, classes and
/// unions hold none either, unless they are local to a function: then gcc puts their member functions into them.
enum PassedEntries {
    @inline(__always)
    static func canBePassed(_ abbreviation: Abbreviation, isInSubroutine: Bool) -> Bool {
        guard abbreviation.siblingOffset >= 0, abbreviation.hasChildren else { return false }
        switch abbreviation.tag {
        case Tag.arrayType, Tag.enumerationType, Tag.subroutineType, Tag.callSite, Tag.gnuCallSite: return true
        case Tag.classType, Tag.structureType, Tag.unionType: return !isInSubroutine
        default: return false
        }
    }
}

extension Tag {
    static let arrayType: UInt16 = 0x01
    static let subroutineType: UInt16 = 0x15
    static let unionType: UInt16 = 0x17
    static let callSite: UInt16 = 0x48
    /// The same before DWARF 5.
    static let gnuCallSite: UInt16 = 0x4109
}
