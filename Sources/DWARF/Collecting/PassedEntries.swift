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
