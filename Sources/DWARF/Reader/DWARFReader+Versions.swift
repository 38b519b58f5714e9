extension DWARFReader {
    /// The versions in the headers of the units in `.debug_info`, ascending, each once.
    package func versions() -> [Int] {
        guard let units = try? UnitTable(sections) else { return [] }
        return Set(units.allHeaders().map { Int($0.version) }).sorted()
    }
}
