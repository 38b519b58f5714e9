import BinaryPrimitives
import DWARFInspection
import ObjectFiles

/// Any bytes as an object file that is dumped: whole, as JSON, by address, by name, counted and verified.
///
/// An input that begins as an object file does is one. Any other holds sections without a container, which the fuzzer can then make longer and shorter: `B` for
/// big-endian byte order or anything else for little-endian, then for each name of `sectionNames`, in order, a length of four bytes (least significant first) and as
/// many bytes; an ELF file is put around them. There is no crash guard: a trap is the fuzzer's.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    guard count > 0 else { return 0 }
    // ELF; Mach-O of either width and byte order; universal files.
    if [0x7f, 0xcf, 0xce, 0xfe, 0xca].contains(bytes.byte(at: 0)) {
        guard let file = try? MappedFile(bytes: bytes, name: "input") else { return 0 }
        dump(file)
    } else {
        let built = SectionFile(bytes).bytes
        guard let file = try? MappedFile(bytes: built.span.rawBytes, name: "input") else { return 0 }
        dump(file)
    }
    return 0
}

private func dump(_ file: MappedFile) {
    guard let objects = try? ObjectFiles.openAll(file) else { return }
    for object in objects.prefix(2) {
        run(object) { $0.all = true }
        run(object) {
            ($0.all, $0.isVerbose, $0.showsForms) = (true, true, true)
        }
        run(object) { ($0.isJSON, $0.sections) = (true, [.info, .types, .line, .aranges]) }
        run(object) { ($0.showsAddresses, $0.sections, $0.summarizesTypes) = (false, [.info, .types, .line], true) }
        for section in [DumpOptions.Section.info, .types, .line, .loc, .loclists, .frame] {
            run(object) { ($0.sections, $0.offsets, $0.showsChildren, $0.showsParents) = ([section], [section: 0x2a], true, true) }
        }
        for address in [0, 0x1000, 0x401000, object.baseAddress.value, .max] { run(object) { $0.lookup = address } }
        run(object) { ($0.names, $0.showsParents) = (["main"], true) }
        run(object) { ($0.names, $0.usesPatterns, $0.ignoresCase, $0.showsChildren) = (["m.*"], true, true, true) }
        run(object) { $0.found = ["main", "int"] }
        run(object) { $0.showsStatistics = true }
        let dumped = DumpedObject(object, name: "input") { _ in }
        _ = Verifier(dumped, DumpOutput { _ in }).run()
    }
}

private func run(_ object: ObjectFile, _ choose: (inout DumpOptions) -> Void) {
    var options = DumpOptions()
    choose(&options)
    var bytes = 0
    let output = DumpOutput { bytes += $0.count }
    _ = Dumper(DumpedObject(object, name: "input") { precondition(!$0.isEmpty) }, options, output).run()
    output.flush()
}

/// An ELF file of 64 bits around sections: its header, their bytes, their names, the table of sections.
private struct SectionFile {
    private(set) var bytes: [UInt8]

    private static let sectionNames = [
        ".debug_info", ".debug_abbrev", ".debug_str", ".debug_line", ".debug_line_str", ".debug_str_offsets", ".debug_addr",
        ".debug_ranges",
        ".debug_rnglists", ".debug_loc", ".debug_loclists", ".debug_types", ".debug_aranges", ".debug_frame", ".eh_frame", ".debug_names",
        ".debug_pubnames", ".debug_gnu_pubtypes", ".apple_names", ".debug_info.dwo", ".debug_abbrev.dwo", ".debug_str_offsets.dwo",
        ".debug_str.dwo", ".debug_cu_index", ".debug_tu_index", ".debug_macro", ".gdb_index",
    ]

    init(_ input: RawSpan) {
        var cursor = input
        let isBig = (try? cursor.take(UInt8.self)) == UInt8(ascii: "B")
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBig ? little.reversed() : little
        }
        var contents: [UInt8] = []
        var names: [UInt8] = [0]
        // The null section.
        var headers = [UInt8](repeating: 0, count: 64)
        func header(_ name: String, _ type: Int, _ size: Int) {
            headers += number(names.count, 4) + number(type, 4) + number(0, 8) + number(0, 8) + number(64 + contents.count, 8)
            headers += number(size, 8) + number(0, 4) + number(0, 4) + number(1, 8) + number(0, 8)
            names += Array(name.utf8) + [0]
        }
        var count = 1
        for name in Self.sectionNames {
            guard let length = try? cursor.take(UInt32.self) else { break }
            let size = min(Int(length), cursor.byteCount)
            header(name, 1, size)
            for _ in 0..<size { if let byte = try? cursor.take(UInt8.self) { contents.append(byte) } }
            count += 1
        }
        header(".shstrtab", 3, 0)
        // Its size is known when its own name is in it.
        headers.replaceSubrange(headers.count - 32..<headers.count - 24, with: number(names.count, 8))
        contents += names
        let table = 64 + contents.count
        bytes = [0x7f] + Array("ELF".utf8) + [2, isBig ? 2 : 1, 1] + [UInt8](repeating: 0, count: 9)
        // An executable for x86-64, or for s390x, which has the other byte order.
        bytes += number(2, 2) + number(isBig ? 22 : 62, 2) + number(1, 4) + number(0, 8) + number(0, 8) + number(table, 8) + number(0, 4)
        bytes += number(64, 2) + number(56, 2) + number(0, 2) + number(64, 2) + number(count + 1, 2) + number(count, 2)
        bytes += contents + headers
    }
}
