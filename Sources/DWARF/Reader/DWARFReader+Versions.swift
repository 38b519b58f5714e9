extension DWARFReader {
    /// The versions that the headers of the units in `.debug_info` tell, ascending, each once.
    public func versions() -> [Int] {
        guard let units = try? UnitTable(sections) else { return [] }
        return Set(units.allHeaders().map { Int($0.version) }).sorted()
    }
}
