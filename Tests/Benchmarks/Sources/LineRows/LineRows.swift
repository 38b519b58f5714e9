import BinaryPrimitives
import DWARF
import ObjectFiles
import Timing

/// Measures line programs that are run to their ends, every row kept: LineRows OBJECT…
///
/// (A lookup runs one sequence of one program, and keeps the rows that it wants.)
@main
enum LineRows {
    static func main() throws {
        for path in CommandLine.arguments.dropFirst() {
            let object = try ObjectFiles.open(path: path)
            guard let reader = DWARFReader(object) else { fatalError("\(path): no debug information") }
            let size = object.description.sections.first { $0.name == ".debug_line" }.map { Int($0.size) } ?? 0
            var units: [Int] = []
            _ = FunctionEnumeration(reader).forEachUnit(.extents) { units.append($0.offset) }
            var timing = Timing(Path.name(of: path))
            timing.runs = 3
            try timing.measure("rows", bytes: size) {
                var rows = 0
                for unit in units { rows += try reader.lineRows(ofUnitAt: unit)?.rows.count ?? 0 }
                return rows
            }
        }
    }
}
