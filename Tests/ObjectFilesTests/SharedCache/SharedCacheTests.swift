import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Shared caches of all versions that `SharedCacheBuilder` makes, with libraries that LLVM's linker linked. What is expected of an
/// image is llvm-nm's of the library, moved by the distance between the library's address in the cache and 0, where it is linked.
///
/// The builder's caches of all four versions were read by the crate `object` 0.40 of gimli (`read::macho::DyldCache`), too: it lists
/// the images with these paths, addresses and UUIDs, and gives the exported symbols these addresses. It does not read local symbols.
@Suite(.enabled(if: SharedCacheLibraries.isPossible, "\(SharedCacheLibraries.absence)"))
struct SharedCacheTests {
    struct Cache: CustomTestStringConvertible, Sendable {
        var version: SharedCacheBuilder.Version
        var architecture: String
        var testDescription: String { "\(version) \(architecture)" }
    }

    static let caches =
        SharedCacheBuilder.Version.allCases.map { Cache(version: $0, architecture: "arm64e") } + [
            Cache(version: .imagesText, architecture: "x86_64"), Cache(version: .named, architecture: "arm64"),
            Cache(version: .numbered, architecture: "arm64_32"), Cache(version: .images, architecture: "arm64_32"),
            Cache(version: .images, architecture: "armv7"), Cache(version: .imagesText, architecture: "armv7"),
        ]

    private func mapped(_ bytes: [UInt8], _ name: String) throws(FileError) -> MappedFile {
        try MappedFile(bytes: bytes.span.rawBytes, name: name)
    }

    private func open(_ builder: SharedCacheBuilder, without missing: String? = nil) throws -> SharedCache {
        let files = builder.files().filter { $0.suffix != missing || missing == "" }
        let main = try #require(files.first)
        let opened = try SharedCache(try mapped(main.bytes, "cache")) { (path) throws(FileError) in
            guard let file = files.first(where: { "cache" + $0.suffix == path }) else { return nil }
            return try mapped(file.bytes, path)
        }
        return try #require(opened)
    }

    private func builder(of cache: Cache, _ libraries: SharedCacheLibraries) -> SharedCacheBuilder {
        var builder = libraries.cache(cache.version, cache.architecture)
        // Its addresses have 32 bits.
        if ["arm64_32", "armv7"].contains(cache.architecture) { builder.base = 0x1a00_0000 }
        return builder
    }

    private func bytes(of section: Section, in object: ObjectFile) throws -> [UInt8] {
        try object.contents(of: section).withBytes { bytes in (0..<bytes.byteCount).map { bytes.byte(at: $0) } }
    }

    private func names(of object: ObjectFile) throws -> [String] {
        try elements { try object.forEachSymbol($0) }.filter { $0.kind == .function }.map {
            "\($0.address) \($0.name.text(in: object)) \($0.binding)"
        }.sorted()
    }

    private func expected(_ libraries: SharedCacheLibraries, _ number: Int, at address: UInt64, _ isWanted: (Bool) -> Bool) -> [String] {
        libraries.symbols[number].filter { isWanted($0.isLocal) }.map {
            "\(LinkAddress($0.address + address)) \($0.name) \($0.isLocal ? "local" : "global")"
        }.sorted()
    }

    @Test(arguments: caches)
    func `images have the paths, addresses and UUIDs of the libraries`(cache: Cache) throws {
        let libraries = try SharedCacheLibraries(architecture: cache.architecture)
        let builder = builder(of: cache, libraries)
        let opened = try open(builder)
        #expect(opened.architecture.name == cache.architecture)
        #expect(opened.id?.bytes == builder.uuid(0))
        #expect(opened.images.map(\.path) == SharedCacheLibraries.paths)
        #expect(opened.images.map(\.address) == builder.addresses)
        #expect(opened.images.indices.map { opened.identity(of: $0)?.description } == libraries.ids)
        for (index, id) in libraries.ids.enumerated() { #expect(ImageID(text: id).flatMap { opened.image(id: $0) } == index) }
        #expect(opened.files.map(\.problem) == opened.files.map { _ in nil })
    }

    @Test(arguments: caches)
    func `symbols, exports and function starts are those of the libraries, moved`(cache: Cache) throws {
        let libraries = try SharedCacheLibraries(architecture: cache.architecture)
        let builder = builder(of: cache, libraries)
        let opened = try open(builder)
        for (index, address) in builder.addresses.enumerated() {
            let object = try opened.open(index)
            #expect(object.path == "cache!" + SharedCacheLibraries.paths[index])
            #expect(object.description.container == .machO && object.description.kind == .sharedLibrary)
            #expect(object.baseAddress.value == address)
            #expect(object.identity?.description == libraries.ids[index])
            #expect(try names(of: object) == expected(libraries, index, at: address) { _ in true })
            #expect(object.hasFullSymbolTable)
            let exports = try object.exports().map { "\($0.address) \($0.name) global" }.sorted()
            #expect(exports == expected(libraries, index, at: address) { !$0 })
            #expect(object.description.functionStarts.map(\.value) == libraries.symbols[index].map { $0.address + address }.sorted())
            #expect(object.description.notes == [])
            // The code is that of the library's file.
            let text = try #require(object.section(named: "__text"))
            let library = try #require(
                try ObjectFiles.openAll(try mapped(libraries.files[index], "library")).first)
            let original = try #require(library.section(named: "__text"))
            #expect(object.architecture == library.architecture)
            #expect(try bytes(of: text, in: object) == bytes(of: original, in: library))
        }
    }

    @Test(arguments: [SharedCacheBuilder.Version.imagesText, .named])
    func `redacted names are no names, and the local symbols have them`(version: SharedCacheBuilder.Version) throws {
        let libraries = try SharedCacheLibraries(architecture: "arm64e")
        var builder = libraries.cache(version, "arm64e")
        builder.redacts = true
        #expect(try names(of: try open(builder).open(0)) == expected(libraries, 0, at: builder.addresses[0]) { _ in true })
        builder.hasLocals = false
        let object = try open(builder).open(0)
        #expect(try names(of: object) == expected(libraries, 0, at: builder.addresses[0]) { !$0 })
        #expect(!object.hasFullSymbolTable)
    }

    /// A kept list gives for some addresses the symbols that a pass over all of them has nearest before each.
    @Test(arguments: [false, true])
    func `symbols found by a list are those of the tables`(redacts: Bool) throws {
        let libraries = try SharedCacheLibraries(architecture: "arm64e")
        var builder = libraries.cache(.named, "arm64e")
        builder.redacts = redacts
        let object = try open(builder).open(1)
        let list = try object.makeSymbolList(named: "list")
        let listed = try #require(object.reading(symbolList: try mapped(list, "list"), named: "list"))
        #expect(try names(of: listed) == names(of: object))
        let symbols = try elements { try object.forEachSymbol($0) }
        let starts = Set(symbols.map(\.address)).sorted()
        func text(_ symbol: Symbol) -> String {
            "\(symbol.address) \(symbol.name.text(in: object)) \(symbol.binding) \(symbol.kind) \(symbol.section)"
        }
        for start in starts {
            for wanted in [start.value, start.value + 3] {
                let found = try elements { try listed.forEachSymbol(around: SymbolWindow(SortedAddresses([wanted])), $0) }
                #expect(found.map(text) == symbols.filter { $0.address == start }.map(text))
            }
        }
        try #require(starts.count == 4)
        #expect(try elements { try listed.forEachSymbol(around: SymbolWindow(SortedAddresses([starts[0].value - 1])), $0) }.isEmpty)
        // Some at once, and a range.
        let wanted = [starts[0], starts[2]].map { $0.value + 1 }
        let found = try elements { try listed.forEachSymbol(around: SymbolWindow(SortedAddresses(wanted)), $0) }
        #expect(found.map(\.address) == [starts[0], starts[2]])
        let range = SymbolWindow(first: LinkAddress(starts[1].value + 1), last: starts[3])
        #expect(try elements { try listed.forEachSymbol(around: range, $0) }.map(\.address) == Array(starts[1...3]))
    }

    @Test func `a file that is no list, or another image's, gives no wrong symbol`() throws {
        let builder = try SharedCacheLibraries(architecture: "arm64e").cache(.named, "arm64e")
        let object = try open(builder).open(0)
        let list = try object.makeSymbolList(named: "list")
        for count in [0, 7, 24, list.count - 1] {
            #expect(object.reading(symbolList: try mapped(Array(list.prefix(count)), "list"), named: "list") == nil)
        }
        #expect(object.reading(symbolList: try mapped(list + [0], "list"), named: "list") == nil)
        #expect(object.reading(symbolList: try mapped(list, "list"), named: "another") == nil)
        var other = list
        other[0] ^= 1
        #expect(object.reading(symbolList: try mapped(other, "list"), named: "list") == nil)
        var generator = SplitMix64(seed: 5)
        for _ in 0..<200 {
            var damaged = list
            for _ in 0..<8 { damaged[Int(generator.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: generator.next()) }
            guard let listed = object.reading(symbolList: try mapped(damaged, "list"), named: "list") else { continue }
            let window = SymbolWindow(SortedAddresses([object.baseAddress.value + generator.next() % 0x8000]))
            try listed.forEachSymbol(around: window) { symbol in
                _ = symbol.name.text(in: listed)
                return true
            }
        }
    }

    @Test func `an image without its local symbols names the file that has them`() throws {
        let builder = try SharedCacheLibraries(architecture: "arm64e").cache(.named, "arm64e")
        let opened = try open(builder, without: ".symbols")
        let object = try opened.open(0)
        #expect(object.description.missingNames == "cache.symbols, which has the names of local functions, is missing")
        #expect(!object.hasFullSymbolTable)
        #expect(opened.files.compactMap(\.problem) == ["is missing"])
    }

    @Test func `an image in a subcache that is missing is named with it, and the others are there`() throws {
        let builder = try SharedCacheLibraries(architecture: "arm64e").cache(.named, "arm64e")
        let opened = try open(builder, without: ".01")
        #expect(try opened.open(0).identity != nil)
        #expect(throws: ObjectFileError.self) { try opened.open(1) }
        do { _ = try opened.open(1) } catch {
            #expect(
                error.description
                    == "cache!\(SharedCacheLibraries.paths[1]): the image is at 0x\(String(builder.addresses[1], radix: 16)): cache.01 is missing"
            )
        }
        // Without the file of all tables there is code, and no name.
        let blind = try open(builder, without: ".03.dyldlinkedit")
        let object = try blind.open(0)
        #expect(try object.exports().isEmpty)
        do {
            try object.forEachSymbol { symbol in
                // A local symbol would name the exported functions after it.
                Issue.record("\(symbol)")
                return true
            }
            Issue.record("no error")
        } catch {
            #expect(
                error.description
                    == "cache!\(SharedCacheLibraries.paths[0]): its symbol table is in no file that is there: cache.03.dyldlinkedit is missing"
            )
        }
        #expect(
            object.description.notes.first
                == "segment __LINKEDIT of 16384 bytes is in a file of the shared cache that is missing or cut short")
    }

    @Test func `a subcache of another cache is not used`() throws {
        let libraries = try SharedCacheLibraries(architecture: "arm64e")
        let builder = libraries.cache(.numbered, "arm64e")
        var other = builder
        other.seed = 0x70
        let files = builder.files()
        let others = other.files()
        let opened = try SharedCache(try mapped(files[0].bytes, "cache")) { (path) throws(FileError) in
            let list = path == "cache.1" ? others : files
            guard let file = list.first(where: { "cache" + $0.suffix == path }) else { return nil }
            return try mapped(file.bytes, path)
        }
        let wrong = ImageID(bytes: other.uuid(1))?.description ?? ""
        let right = ImageID(bytes: builder.uuid(1))?.description ?? ""
        #expect(opened?.files.map(\.problem) == [nil, "is of another cache: its UUID is \(wrong), expected \(right)", nil, nil])
    }

    @Test func `an address leads to the image whose code has it`() throws {
        let builder = try SharedCacheLibraries(architecture: "arm64e").cache(.named, "arm64e")
        let opened = try open(builder)
        let addresses = builder.addresses
        #expect(opened.image(containing: addresses[0]) == 0)
        #expect(opened.image(containing: addresses[0] + 0x3fff) == 0)
        #expect(opened.image(containing: addresses[1] + 8) == 1)
        // The page between the header and the code, and what is before everything.
        #expect(opened.image(containing: addresses[0] - 1) == nil && opened.image(containing: 0) == nil)
    }

    @Test func `files on disk are found beside the main file, also by the name of another one`() throws {
        let builder = try SharedCacheLibraries(architecture: "arm64e").cache(.named, "arm64e")
        try withTemporaryFolder { folder in
            let main = try builder.write(in: folder)
            for path in [main, main + ".01", main + ".symbols"] {
                let cache = try #require(try OpenSharedCaches.shared.cache(at: path))
                #expect(cache.path == main && cache.images.count == 2)
            }
            let image = try ObjectFiles.open(path: main + "!" + SharedCacheLibraries.paths[1])
            #expect(image.baseAddress.value == builder.addresses[1])
            #expect(throws: ObjectFileError.self) { try ObjectFiles.open(path: main + "!/usr/lib/none.dylib") }
            // `.symbols`, or a subcache, comes: the same path is another cache.
            for (number, name) in [".symbols", ".01"].enumerated() {
                try run("mv", [main + name, folder + "/away"]).requireSuccess()
                try run("touch", ["-d", "@\(number + 1)", folder]).requireSuccess()
                let caches = OpenSharedCaches.shared
                #expect(try caches.cache(at: main)?.files.filter { $0.problem != nil }.map(\.path) == [main + name])
                try run("mv", [folder + "/away", main + name]).requireSuccess()
                #expect(try caches.cache(at: main)?.files.allSatisfy { $0.problem == nil } == true)
            }
        }
    }
}
