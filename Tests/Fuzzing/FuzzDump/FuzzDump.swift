internal import BinaryPrimitives
internal import DWARFInspection
internal import ObjectFiles
internal import Recipes

/// Any bytes as an object file that is dumped: whole, as JSON, by address, by name, counted and
/// verified.
///
/// An input that begins as an object file does is one. One that begins with `R` is the decisions of
/// a `DWARFRecipe`; any other holds sections without a container (`SectionFrames`, by
/// `sectionNames`). An ELF file is put around both. There is no crash guard: a trap is the
/// fuzzer's.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    guard count > 0 else { return 0 }
    // ELF; Mach-O of either width and byte order; universal files.
    if [0x7f, 0xcf, 0xce, 0xfe, 0xca].contains(bytes.byte(at: 0)) {
        guard let file = try? MappedFile(bytes: bytes, name: "input") else { return 0 }
        dump(file)
        return 0
    }
    let built = image(bytes)
    guard let file = try? MappedFile(bytes: built.span.rawBytes, name: "input") else { return 0 }
    dump(file)
    return 0
}

private func image(_ bytes: RawSpan) -> [UInt8] {
    if bytes.byte(at: 0) == UInt8(ascii: "R") {
        let recipe = DWARFRecipe(bytes.clamped(to: 1..<bytes.byteCount).text.copied())
        return ELFImage.bytes(recipe.sections, recipe.byteOrder)
    }
    let frames = SectionFrames(bytes, names: sectionNames)
    var sections: [(name: String, bytes: [UInt8])] = []
    for section in frames.sections { sections.append((section.name, bytes.clamped(to: section.range).text.copied())) }
    return ELFImage.bytes(sections, frames.byteOrder)
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

/// Threads that keep little text, so that they wait for each other.
private let threads = DumpThreads(3, minBytes: 0, maxKept: 4096)

/// Dumps with one thread and with several, which write the same and report the same.
private func run(_ object: ObjectFile, _ choose: (inout DumpOptions) -> Void) {
    var options = DumpOptions()
    choose(&options)
    let alone = dump(object, options, nil)
    precondition(dump(object, options, threads) == alone)
}

private struct Dumped: Equatable {
    var bytes = 0
    /// FNV-1a hash of the text.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    /// First occurrence of each sentence, with the length of the text before it.
    var problems: [String] = []
}

private func dump(_ object: ObjectFile, _ options: DumpOptions, _ threads: DumpThreads?) -> Dumped {
    var dumped = Dumped()
    var known: Set<String> = []
    let output = DumpOutput { bytes in
        dumped.bytes += bytes.count
        for byte in bytes { dumped.hash = (dumped.hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    let read = DumpedObject(object, name: "input") { problem in
        precondition(!problem.isEmpty)
        guard known.insert(problem).inserted else { return }
        output.flush()
        dumped.problems.append("\(dumped.bytes): \(problem)")
    }
    _ = Dumper(read, options, output, threads: threads).run()
    output.flush()
    return dumped
}

/// In the order of their lengths.
private let sectionNames = [
    ".debug_info", ".debug_abbrev", ".debug_str", ".debug_line", ".debug_line_str", ".debug_str_offsets", ".debug_addr",
    ".debug_ranges",
    ".debug_rnglists", ".debug_loc", ".debug_loclists", ".debug_types", ".debug_aranges", ".debug_frame", ".eh_frame", ".debug_names",
    ".debug_pubnames", ".debug_gnu_pubtypes", ".apple_names", ".debug_info.dwo", ".debug_abbrev.dwo", ".debug_str_offsets.dwo",
    ".debug_str.dwo", ".debug_cu_index", ".debug_tu_index", ".debug_macro", ".gdb_index",
]
