import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Names of Objective-C's methods in shared caches without local symbols. What is expected is llvm-nm's of the library.
@Suite(.enabled(if: SharedCacheLibraries.isPossible, "\(SharedCacheLibraries.absence)"))
struct ObjCMethodsTests {
    struct Form: CustomTestStringConvertible, Sendable {
        var version: SharedCacheBuilder.Version
        var architecture: String
        var isRelative = false
        var countsFromBase = false
        var attachesCategories = false
        var testDescription: String {
            "\(version) \(architecture)\(isRelative ? " relative" : "")\(countsFromBase ? ", selectors from a base" : "")\(attachesCategories ? ", lists of lists" : "")"
        }
    }

    static let forms = [
        Form(version: .images, architecture: "arm64_32"), Form(version: .images, architecture: "arm64"),
        Form(version: .imagesText, architecture: "x86_64"),
        Form(version: .imagesText, architecture: "arm64"), Form(version: .imagesText, architecture: "arm64_32"),
        Form(version: .numbered, architecture: "arm64"),
        Form(version: .named, architecture: "arm64"), Form(version: .numbered, architecture: "arm64", isRelative: true),
        Form(version: .named, architecture: "arm64", isRelative: true),
        Form(version: .numbered, architecture: "arm64", isRelative: true, countsFromBase: true),
        Form(version: .named, architecture: "arm64", isRelative: true, countsFromBase: true),
        Form(version: .named, architecture: "arm64", attachesCategories: true),
    ]

    private func mapped(_ bytes: [UInt8], _ name: String) throws(FileError) -> MappedFile {
        try MappedFile(bytes: bytes.span.rawBytes, name: name)
    }

    private func open(_ files: [(suffix: String, bytes: [UInt8])]) throws -> SharedCache {
        let opened = try SharedCache(try mapped(try #require(files.first).bytes, "cache")) { (path) throws(FileError) in
            guard let file = files.first(where: { "cache" + $0.suffix == path }) else { return nil }
            return try mapped(file.bytes, path)
        }
        return try #require(opened)
    }

    private func builder(_ form: Form, _ libraries: ObjCLibraries) -> SharedCacheBuilder {
        var builder = libraries.cache(form.version, form.architecture)
        builder.countsSelectorsFromBase = form.countsFromBase
        builder.attachesCategories = form.attachesCategories
        return builder
    }

    @Test(arguments: forms)
    func `methods of classes and of categories have the names of the library's symbols, and other functions have none`(form: Form) throws {
        let libraries = try ObjCLibraries(architecture: form.architecture, isRelative: form.isRelative)
        let builder = builder(form, libraries)
        let object = try open(builder.files()).open(0)
        #expect(object.namesMethods)
        let base = builder.addresses[0]
        #expect(libraries.methods.count == 4)
        #expect(libraries.methods.map { object.methodName(ofFunctionAt: LinkAddress(base + $0.address)) } == libraries.methods.map(\.name))
        #expect(libraries.functions.contains { $0.name == "_lost_at_sea" })
        for function in libraries.functions { #expect(object.methodName(ofFunctionAt: LinkAddress(base + function.address)) == nil) }
        for method in libraries.methods { #expect(object.methodName(ofFunctionAt: LinkAddress(base + method.address + 4)) == nil) }
        let listed = try #require(object.reading(symbolList: try mapped(try object.makeSymbolList(named: "list"), "list"), named: "list"))
        #expect(libraries.methods.map { listed.methodName(ofFunctionAt: LinkAddress(base + $0.address)) } == libraries.methods.map(\.name))
        #expect(listed.methodName(ofFunctionAt: LinkAddress(base + libraries.methods[0].address + 4)) == nil)
    }

    @Test func `where the names of local functions are there, they are read alone`() throws {
        let libraries = try ObjCLibraries(architecture: "arm64", isRelative: false)
        var builder = libraries.cache(.named, "arm64")
        builder.hasLocals = true
        #expect(try !open(builder.files()).open(0).namesMethods)
    }

    @Test func `a function that two methods share has no name`() throws {
        let libraries = try ObjCLibraries(architecture: "arm64", isRelative: true)
        let builder = libraries.cache(.named, "arm64")
        var files = builder.files()
        let functions = libraries.methods.map(\.address)
        // The first entry whose function is the first method's, made the second's: a distance from the third number of the entry.
        let start = Int(builder.addresses[0] - builder.base)
        var changed = 0
        for at in stride(from: start, to: min(files[0].bytes.count, start + 0x8000) - 4, by: 4) {
            let distance = Int32(truncatingIfNeeded: (0..<4).reduce(0) { $0 | Int(files[0].bytes[at + $1]) << (8 * $1) })
            guard distance < 0, UInt64(at - start) &+ UInt64(bitPattern: Int64(distance)) == functions[0] else { continue }
            let new = UInt32(bitPattern: distance) &+ UInt32(functions[1] - functions[0])
            for byte in 0..<4 { files[0].bytes[at + byte] = UInt8(truncatingIfNeeded: new >> (8 * UInt32(byte))) }
            changed += 1
        }
        try #require(changed == 1)
        let object = try open(files).open(0)
        #expect(
            functions.map { object.methodName(ofFunctionAt: LinkAddress(builder.addresses[0] + $0)) } == [nil, nil]
                + libraries.methods[2...].map(\.name))
    }

    @Test func `damaged tables give names of the form of methods, or none`() throws {
        let libraries = try ObjCLibraries(architecture: "arm64", isRelative: false)
        let builder = libraries.cache(.named, "arm64")
        let files = builder.files()
        var generator = SplitMix64(seed: 64)
        for _ in 0..<300 {
            var damaged = files
            let data = damaged.firstIndex { $0.suffix == ".02.dylddata" } ?? 0
            for _ in 0..<4 {
                let at = Int.random(in: 0x4000..<damaged[data].bytes.count, using: &generator)
                damaged[data].bytes[at] = UInt8.random(in: 0...255, using: &generator)
            }
            let object = try open(damaged).open(0)
            for method in libraries.methods {
                let name = object.methodName(ofFunctionAt: LinkAddress(builder.addresses[0] + method.address))
                #expect(name.map { ($0.hasPrefix("-[") || $0.hasPrefix("+[")) && $0.hasSuffix("]") && $0.contains(" ") } ?? true)
            }
        }
    }
}
