import BinaryPrimitives
import DWARF
import ObjectFiles
import Timing

/// Measures the walk over all debugging information entries of files: EntryWalk OBJECT…
///
/// Functions alone, where the walk skips what holds none (by `DW_AT_sibling`, where the compiler
/// wrote it), and everything that a result has: names, inlined calls, lines.
@main
enum EntryWalk {
    static func main() throws {
        for path in CommandLine.arguments.dropFirst() {
            let object = try ObjectFiles.open(path: path)
            guard let reader = DWARFReader(object) else { fatalError("\(path): no debug information") }
            let size = object.description.sections.first { $0.name == ".debug_info" }.map { Int($0.size) } ?? 0
            for (detail, what) in [(FunctionEnumeration.Detail.extents, "functions alone"), (.everything, "everything")] {
                var timing = Timing("\(Path.name(of: path)), \(what)")
                timing.runs = 3
                timing.measure("functions", bytes: size) {
                    var functions = 0
                    let problems = FunctionEnumeration(reader).forEachUnit(detail) { functions += $0.functions.count }
                    guard problems.isEmpty else { fatalError("\(path): \(problems[0])") }
                    return functions
                }
            }
        }
    }
}
