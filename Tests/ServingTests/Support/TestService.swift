import BinaryPrimitives
import CrashLogModel
import ObjectFiles
import Serving
import SymbolFiles
import SymbolSources
import Symbolication
import TestSupport
import Testing

extension Service {
    /// A service over files and folders, and no others of this machine.
    static func over(_ symbols: [String], limits: Limits = .standard, _ change: (inout Settings) -> Void = { _ in }) -> Service {
        var search = SearchLocations(symbols: symbols)
        search.usesImagePaths = false
        let provider = SourceProvider(
            search, openFile: { path throws(ObjectFileError) in try SymbolFileReader.openAll(path: path) },
            openSource: { ImageSource.open($0, hiddenNames: BCSymbolMapSearch(symbols: [])) })
        var settings = Settings()
        change(&settings)
        return Service(Symbolicator(provider: provider), settings: settings, limits: limits)
    }

    static func over(fixture path: String, _ change: (inout Settings) -> Void = { _ in }) -> Service {
        over([TestPaths.fixture(path)], change)
    }

    func post(_ path: String, _ body: String, headers: [(name: String, value: String)] = []) -> Response {
        respond(to: Request("POST", path, headers: headers, body: Array(body.utf8)))
    }

    func get(_ path: String, headers: [(name: String, value: String)] = []) -> Response {
        respond(to: Request("GET", path, headers: headers))
    }
}

extension Response {
    var bytes: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .file(let file, let range): file.bytes(in: range)
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var json: JSONValue? { try? JSONParser().parse(bytes.span) }

    /// The words of an error.
    var title: String? { json?["title"]?.string }
}

/// The rows of a fixture's `expected.tsv`, each address with its functions, innermost first.
func expectedResults(_ path: String) -> [(address: UInt64, functions: [[String: String]])] {
    var lines = String(decoding: TestPaths.bytes(of: TestPaths.fixture(path)), as: UTF8.self).split(separator: "\n")[...]
    let names = lines.popFirst()?.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) ?? []
    var expectedRows: [(address: UInt64, functions: [[String: String]])] = []
    for line in lines {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        let row = Dictionary(zip(names, fields)) { first, _ in first }
        guard let address = UInt64(row["address"]?.dropFirst(2) ?? "", radix: 16) else { continue }
        if row["inline_depth"] != "0", let last = expectedRows.indices.last {
            expectedRows[last].functions.append(row)
        } else {
            expectedRows.append((address, [row]))
        }
    }
    return expectedRows
}

/// The bytes of a fixture.
func bytes(_ fixture: String) -> [UInt8] { TestPaths.bytes(of: TestPaths.fixture(fixture)) }

/// A form with the fields given, as an HTTP client writes it.
func form(_ fields: [(name: String, content: [UInt8])], boundary: String = "AaB03x") -> [UInt8] {
    var body: [UInt8] = []
    for field in fields {
        body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"; filename=\"a b.dmp\"\r\n\r\n".utf8
        body += field.content
        body += "\r\n".utf8
    }
    return body + Array("--\(boundary)--\r\n".utf8)
}

extension Service {
    func post(_ path: String, form fields: [(name: String, content: [UInt8])]) -> Response {
        let headers = [(name: "Content-Type", value: "multipart/form-data; boundary=AaB03x")]
        return respond(to: Request("POST", path, headers: headers, body: form(fields)))
    }
}
