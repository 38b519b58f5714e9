/// Selection and form of a dump: llvm-dwarfdump's options.
package struct DumpOptions: Sendable {
    /// Sections in the order in which they are dumped.
    package enum Section: String, Sendable, CaseIterable {
        case abbrev = "debug-abbrev"
        case info = "debug-info"
        case types = "debug-types"
        case loc = "debug-loc"
        case loclists = "debug-loclists"
        case frame = "debug-frame"
        case macro = "debug-macro"
        case aranges = "debug-aranges"
        case line = "debug-line"
        case cuIndex = "debug-cu-index"
        case tuIndex = "debug-tu-index"
        case str = "debug-str"
        case lineStr = "debug-line-str"
        case addr = "debug-addr"
        case ranges = "debug-ranges"
        case rnglists = "debug-rnglists"
        case pubnames = "debug-pubnames"
        case pubtypes = "debug-pubtypes"
        case gnuPubnames = "debug-gnu-pubnames"
        case gnuPubtypes = "debug-gnu-pubtypes"
        case strOffsets = "debug-str-offsets"
        case gdbIndex = "gdb-index"
        case appleNames = "apple-names"
        case appleTypes = "apple-types"
        case appleNamespaces = "apple-namespaces"
        case appleObjC = "apple-objc"
        case names = "debug-names"

        /// Whether the section can be dumped as JSON.
        package var hasJSON: Bool { [.info, .types, .line, .aranges].contains(self) }
    }

    package var sections: Set<Section> = []
    /// Only the entry at that offset.
    package var offsets: [Section: UInt64] = [:]
    /// All sections that there are, and the UUID.
    package var all = false
    package var showsUUID = false
    package var showsChildren = false
    package var showsParents = false
    /// How many levels of children.
    package var childDepth = UInt64.max
    /// How many levels of parents; zero for all.
    package var parentDepth: UInt64 = 0
    package var showsForms = false
    package var isVerbose = false
    /// `false` leaves out addresses and offsets.
    package var showsAddresses = true
    /// Type units get one line.
    package var summarizesTypes = false
    package var lookup: UInt64?
    package var names: [String] = []
    package var ignoresCase = false
    package var usesPatterns = false
    package var found: [String] = []
    /// References into the middle of entries lead to none: that takes a table of each unit's
    /// entries, which verification has.
    var checksReferences = false
    /// Counts, and nothing else.
    package var showsStatistics = false
    /// The sizes of debug sections, and nothing else.
    package var showsSectionSizes = false
    /// The paths of source files, and nothing else.
    package var showsSources = false
    /// One JSON document a line, for programs. Only some sections have this form
    /// (`DumpOptions.Section.hasJSON`).
    package var isJSON = false

    package init() {}
}
