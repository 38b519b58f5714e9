import TestSupport
import Testing

/// Inside of a target the folders use one another in one direction. A folder uses another where its
/// code names a type that is declared at a file's top level there.
@Suite struct FolderGraphTests {
    @Test func `no folders of a target need each other`() throws {
        for target in try SourceTree.targets() {
            let tree = try SourceTree(target)
            for folder in tree.circle() { Issue.record("\(target)/\(folder) uses \(tree.used(by: folder).sorted()), which use it") }
        }
    }

    @Test(arguments: [
        ("CrashLogModel", ["Model", "JSON", "Protobuf", "Prefixes"]),
        ("CrashLogFormats", ["Formats", "Meaning", "Layers", "Damage", "Causes", "Foreign", "Registry"]),
        ("CrashReports", ["Streams", "Input", "Anonymizing"]),
    ])
    func `the folders of a log's way are in order`(target: String, order: [String]) throws {
        let tree = try SourceTree(target)
        #expect(Set(tree.folders) == Set(order))
        for (index, folder) in order.enumerated() {
            #expect(tree.used(by: folder).subtracting(order[..<index]) == [], "\(target)/\(folder) uses what comes after it")
        }
    }

    /// A format can be changed, or deleted, without a look at the others.
    @Test func `formats need nothing of other formats, but for those that hold or share one`() throws {
        // The folders that all formats share, that Apple's formats share, and the rows that cards
        // read.
        let shelves: Set = ["", "Shared", "AppleReport", "Rows"]
        // A header that other reports have, too; a report inside of another; rows that another
        // program prints as well.
        let real: Set = [
            "AppleCrash AppleTools", "AppleIPS ApplePanic", "AppleIPSLegacy AppleCrash", "Android Sanitizers", "Apport GDB",
            "Breakpad Android",
            "JVM Java", "Java Android", "KSCrash Vendors", "Rows JavaScript", "Rows Sanitizers", "Sentry KSCrash",
        ]
        let tree = try SourceTree("CrashLogFormats/Formats")
        #expect(tree.circle().isEmpty)
        let found = tree.folders.flatMap { folder in tree.used(by: folder).subtracting(shelves).map { "\(folder) \($0)" } }
        #expect(Set(found) == real)
    }
}

/// The folders of a target and what each uses of the others. The files directly in the target are
/// the folder "".
private struct SourceTree {
    private var uses: [String: Set<String>] = [:]
    let folders: [String]

    static func targets() throws -> Set<String> {
        Set(
            TestPaths.files(under: TestPaths.root + "/Sources").filter { $0.hasSuffix(".swift") }.compactMap { path in
                path.dropFirst(TestPaths.root.count + "/Sources/".count).split(separator: "/").first.map(String.init)
            })
    }

    /// - Parameter path: of a folder in `Sources`.
    init(_ path: String) throws {
        let root = TestPaths.root + "/Sources/" + path
        var names: [String: Set<String>] = [:]
        var declared: [String: Set<String>] = [:]
        for file in TestPaths.files(under: root) where file.hasSuffix(".swift") {
            let parts = file.dropFirst(root.count + 1).split(separator: "/")
            let folder = parts.count > 1 ? String(parts[0]) : ""
            let code = Code(TestPaths.bytes(of: file))
            names[folder, default: []].formUnion(code.names)
            for name in code.topLevelTypes { declared[name, default: []].insert(folder) }
        }
        try #require(!names.isEmpty)
        folders = names.keys.sorted()
        for (folder, used) in names {
            // A name that two folders declare is private to both, or the name of a type in a type.
            for name in used { if let owners = declared[name], !owners.contains(folder) { uses[folder, default: []].formUnion(owners) } }
        }
    }

    func used(by folder: String) -> Set<String> { uses[folder] ?? [] }

    /// Folders that need one another; empty where there are none.
    func circle() -> [String] {
        var left = Set(folders)
        while let free = left.first(where: { used(by: $0).isDisjoint(with: left) }) { left.remove(free) }
        return left.sorted()
    }
}

/// The names in a Swift file, without comments and literals.
private struct Code {
    private(set) var names: Set<String> = []
    private(set) var topLevelTypes: Set<String> = []

    init(_ bytes: [UInt8]) {
        var isInText = false
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // A literal of several lines.
            if line.count > 2,
                (2..<line.count).contains(where: { line[line.startIndex + $0 - 2..<line.startIndex + $0 + 1].elementsEqual("\"\"\"".utf8) })
            {
                isInText.toggle()
                continue
            }
            if isInText { continue }
            let tokens = Self.tokens(in: line)
            names.formUnion(tokens.filter { $0.first?.isUppercase ?? false })
            guard line.first.map({ $0 != UInt8(ascii: " ") }) ?? false, !tokens.contains("fileprivate"), tokens.first != "private",
                let keyword = tokens.firstIndex(where: { ["struct", "class", "enum", "protocol", "actor", "typealias"].contains($0) }),
                keyword + 1 < tokens.count
            else { continue }
            topLevelTypes.insert(tokens[keyword + 1])
        }
    }

    private static func tokens(in line: ArraySlice<UInt8>) -> [String] {
        var tokens: [String] = []
        var word: [UInt8] = []
        var isInLiteral = false
        var last: UInt8 = 0
        for byte in line + [UInt8(ascii: " ")] {
            if !isInLiteral, byte == UInt8(ascii: "/"), last == byte { break }
            if byte == UInt8(ascii: "_") || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 {
                if !isInLiteral { word.append(byte) }
            } else {
                if !word.isEmpty { tokens.append(String(decoding: word, as: UTF8.self)) }
                word = []
                if byte == UInt8(ascii: "\""), last != UInt8(ascii: "\\") { isInLiteral.toggle() }
            }
            last = byte
        }
        return tokens
    }
}
