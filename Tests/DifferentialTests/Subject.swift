import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport

/// An object in which both sides look up addresses.
struct Subject {
    /// The name in the tables.
    var name: String
    var path: String
    /// The slice, for universal files.
    var architecture: String?
    /// A file with the same results that the peer can read, where it cannot read this one.
    var twin: String?
    /// Companion that a debugger finds by itself beside the object: by debug link, or its dSYM.
    var companion: String?

    /// dSYM that dsymutil made from the object, for a peer that does not read debug maps.
    var linkedDSYM: String?

    /// Path for the peer, which accepts the slice after a colon.
    var peerObject: String { (twin ?? linkedDSYM ?? path) + (architecture.map { ":" + $0 } ?? "") }

    /// The toolchain's llvm-symbolizer is built without Zstandard, and no longer reads GNU's old
    /// compression. In a relocatable file it uses the first `.debug_info` and the first function at
    /// an address, in any section.
    private static let twins = [
        "Stripped/out/shapes-zstd": "Stripped/out/shapes-zlib", "Stripped/out/shapes-zdebug": "Stripped/out/shapes-zlib",
        "Relocatable/out/gauge-zstd.o": "Relocatable/out/gauge-x86_64.o",
        "Relocatable/out/gauge-sections.o": "Relocatable/out/gauge-sections-at-zero",
        "Relocatable/out/shelf-types.o": "Relocatable/out/shelf-types-at-zero",
    ]

    /// A module of Linux' kernel has code in four sections, and the peer mixes their functions and
    /// inlined calls, all of which begin at 0. `KernelTests` compares its places with GNU
    /// addr2line's output, section by section.
    private static let unfit: Set = ["KernelModule/out/CrashModule.ko"]

    func open() throws -> [ObjectFile] {
        let choice = architecture.map { SliceChoice.architecture(Architecture($0)) } ?? .only
        let object = try ObjectFiles.open(path: path, choosing: choice)
        guard let companion else { return [object] }
        let identity = object.identity.map(SliceChoice.identity) ?? choice
        return [try ObjectFiles.open(path: companion, choosing: identity), object]
    }

    /// Every ELF and Mach-O of `Fixtures`, as its index lists them.
    static func fixtures() throws -> [Subject] {
        let text = try MappedFile(path: TestPaths.fixture("binaries/INDEX.tsv")).withBytes { $0.string() }
        return try text.split(separator: "\n").dropFirst().filter { row in !unfit.contains { row.hasPrefix($0 + "\t") } }.map { row in
            let columns = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let path = TestPaths.fixture("binaries/" + columns[0])
            let isMachO = columns[1].hasPrefix("macho")
            var subject = Subject(name: columns[0] + (isMachO ? ":" + columns[2] : ""), path: path)
            subject.twin = twins[columns[0]].map { TestPaths.fixture("binaries/" + $0) }
            if isMachO { subject.architecture = columns[2] }
            if columns[1] == "macho-execute", TestPaths.isReadable(path + ".dSYM") { subject.companion = path + ".dSYM" }
            let linked = path.dropLast(Path.name(of: path).count) + "linked.dSYM/Contents/Resources/DWARF/" + Path.name(of: path)
            if columns[1] == "macho-execute", TestPaths.isReadable(linked) { subject.linkedDSYM = linked }
            if let link = isMachO ? nil : try ObjectFiles.open(path: path).description.debugLink?.name {
                let beside = Path.join(Path.directory(of: path), link)
                if TestPaths.isReadable(beside) { subject.companion = beside }
            }
            return subject
        }
    }

    /// The machine's own libc and python3.11, by their debug files; those that are not installed
    /// are left out.
    static func system() -> [Subject] {
        let candidates = [
            ("libc.so.6", ["/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6"]), ("python3.11", ["/usr/bin/python3.11"]),
        ]
        return candidates.compactMap { name, paths in
            for path in paths {
                guard let identity = (try? ObjectFiles.open(path: path))?.identity?.hexadecimal else { continue }
                let debug = "/usr/lib/debug/.build-id/\(identity.prefix(2))/\(identity.dropFirst(2)).debug"
                if TestPaths.isReadable(debug) { return Subject(name: "\(name)@\(identity.prefix(12))", path: debug) }
            }
            return nil
        }
    }
}
