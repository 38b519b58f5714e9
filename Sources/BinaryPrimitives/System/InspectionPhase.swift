internal import CCairn

/// The phase of a process that inspects files, so that the process that waits for it knows where it
/// died. Outside of such a process all of this does nothing.
package enum InspectionPhase: Int32, Sendable, CaseIterable {
    /// Finding and opening files, and reading their headers.
    case opening
    /// Inflating sections, and libdwarf's look at them.
    case sections
    /// Units, abbreviations and entries.
    case units
    /// Line tables.
    case lines
    /// All other sections.
    case tables
    /// Looking for contradictions (`dwarfdump --verify`).
    case verifying
    /// Looking up addresses with cairn's own reader (`verify`).
    case answering
    /// Comparing both readers' results (`verify`).
    case comparing

    /// The words after "while".
    package var label: String {
        switch self {
        case .opening: "opening it"
        case .sections: "reading its sections"
        case .units: "reading units"
        case .lines: "reading line tables"
        case .tables: "reading tables"
        case .verifying: "looking for contradictions"
        case .answering: "asking cairn's own reader"
        case .comparing: "comparing results"
        }
    }

    /// From now on this is what the process is at.
    package func begin() { cairn_contain_begin(rawValue) }

    /// The phase that this process, or the one that it waited for, was at last; `nil` before the
    /// first.
    package static var last: InspectionPhase? { InspectionPhase(rawValue: cairn_contain_phase()) }
}
