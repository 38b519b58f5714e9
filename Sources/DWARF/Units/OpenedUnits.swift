/// The units of a file for one thread, or why they cannot be read: given to each caller. (Not
/// `Result`, for which the runtime would look through all conformances of the program.)
enum OpenedUnits {
    case table(UnitTable)
    case failure(DWARFError)

    init(_ sections: DWARFSections) {
        do throws(DWARFError) { self = .table(try UnitTable(sections)) } catch { self = .failure(error) }
    }

    func get() throws(DWARFError) -> UnitTable {
        switch self {
        case .table(let table): return table
        case .failure(let failure): throw failure
        }
    }
}
