internal import BinaryPrimitives
internal import CrashLogModel

/// Load addresses of files as gdb prints them: the tables of `info sharedlibrary` and
/// `info proc mappings`.
///
///     From                To                  Syms Read   Shared Object Library
///     0x00007ffff7fbc040  0x00007ffff7fbc17e  Yes (*)     /srv/libharbour.so.1
///
///               Start Addr           End Addr       Size     Offset  Perms  objfile
///           0x555555554000     0x555555555000     0x1000        0x0  r--p   /srv/ferry-pie
///
/// The first gives the ends of `.text` alone (`solib_info_command`), the second the mappings
/// (`info_proc_cmd_1`; of a core without `Perms`).
struct GDBImages {
    private var map = MemoryMap()
    private var libraries: [(from: UInt64, to: UInt64, path: String)] = []

    /// Whether the line is a row of one of the tables.
    mutating func read(_ line: Span<UInt8>) -> Bool {
        var rest = line
        rest.skipBlanks()
        guard let start = rest.readAddress(), let blank = rest.at(0), isBlank(blank) else { return false }
        rest.skipBlanks()
        guard let end = rest.readAddress(), start < end else { return false }
        rest.skipBlanks()
        if rest.consume("Yes") || rest.consume("No") {
            rest.skipBlanks()
            _ = rest.consume("(*)")
            let path = rest.trimmed()
            guard path.count > 0, libraries.count < Limits.standard.images else { return true }
            libraries.append((start, end, path.text))
            return true
        }
        guard let size = rest.readAddress(), size == end - start else { return false }
        rest.skipBlanks()
        guard let offset = rest.readAddress() else { return false }
        rest.skipBlanks()
        if rest.at(4) == UInt8(ascii: " "), let first = rest.at(0), first == UInt8(ascii: "r") || first == UInt8(ascii: "-") {
            _ = rest.readToken()
        }
        let path = rest.trimmed()
        if path.count > 0 {
            map.add(MemoryMapRow(start: RuntimeAddress(start), end: RuntimeAddress(end), fileOffset: offset, path: path.text))
        }
        return true
    }

    /// The headings of the tables and what else is between their rows.
    static func isHeading(_ text: Span<UInt8>) -> Bool {
        (text.hasPrefix("From ") && text.hasSuffix("Shared Object Library")) || text.hasPrefix("Mapped address spaces:")
            || (text.hasPrefix("Start Addr") && text.hasSuffix("objfile"))
            || text.hasPrefix("(*): Shared library is missing")
    }

    /// Gives the frames their images.
    /// - Parameter program: the path or name of the program that ran, if the log has it.
    func assign(to report: inout CrashReport, program: String?) {
        var table = ImageTable(map.all)
        var ranges: [(from: UInt64, to: UInt64, image: Int)] = []
        let mapped = SortedImages(map.all)
        for library in libraries where mapped.index(containing: RuntimeAddress(library.from)) == nil {
            guard !table.isFull else { break }
            var image = BinaryImage(name: Path.foreignName(of: library.path), path: library.path)
            image.textAddress = RuntimeAddress(library.from)
            ranges.append((library.from, library.to, table.images.count))
            table.add(image)
        }
        ranges.sort { $0.from < $1.from }
        // The program itself is in neither table before gdb has run it or read a map of it.
        var own: Int?
        if let program, map.isEmpty, !table.isFull {
            own = table.images.count
            table.add(BinaryImage(file: program))
        }
        report.changeStacks { stack in
            for index in stack.frames.indices {
                guard let address = stack.frames[index].address, mapped.index(containing: address) == nil else { continue }
                if let range = ranges.last(where: { $0.from <= address.value }), address.value < range.to {
                    stack.frames[index].image = range.image
                } else if stack.frames[index].imageName == nil, let own {
                    // gdb names the library of a function whose line it does not know; without one
                    // the function is the program's. Its address is as linked if the program is not
                    // position-independent; if it is, it is far above all code of the file, and
                    // it cannot be resolved.
                    stack.frames[index].image = own
                    stack.frames[index].imageLocation = .linkAddress(LinkAddress(address.value))
                }
            }
        }
        table.assign(to: &report)
    }
}
