internal import BinaryPrimitives
internal import Console
internal import CrashLogModel
internal import SymbolFiles

/// Reads one file of settings. An error in it is reported with the file and the key, and the rest
/// of the file counts.
struct SettingsReader {
    private(set) var settings = Settings()
    private(set) var problems: [String] = []
    /// Messages about keys that are ignored because they are not known; they may be of a later
    /// version.
    private(set) var remarks: [String] = []
    private let path: String
    /// Paths in the file count from the folder that it is in.
    private let folder: String

    private static let keys = ["symbols", "sourceRoots", "pathMap", "ownCode", "debuginfod", "timeBudget"]
    /// Bytes of a file that is read.
    private static let size = 1 << 20
    /// Bytes that may follow the document: space, tab, line feed, carriage return (RFC 8259,
    /// section 2).
    private static let whiteSpace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    init(path: String) {
        self.path = path
        folder = Path.directory(of: path)
        let document: [UInt8]
        do throws(FileError) {
            let file = try MappedFile(path: path)
            guard file.size <= Self.size else {
                problems.append("\(path): it has \(file.size) bytes: expected settings, at most \(Self.size)")
                return
            }
            document = file.bytes(in: 0..<file.size)
        } catch {
            problems.append(error.description)
            return
        }
        read(document)
    }

    private mutating func read(_ document: [UInt8]) {
        let value: JSONValue
        do throws(LogError) { value = try JSONParser().parse(document.span) } catch {
            problems.append("\(path): \(error)")
            return
        }
        guard value.isObject, document[value.range.upperBound...].allSatisfy({ Self.whiteSpace.contains($0) }) else {
            problems.append("\(path): not a JSON object: expected {…} with some of \(Self.keys.joined(separator: ", "))")
            return
        }
        var seen: Set<String> = []
        for member in value.members {
            guard seen.insert(member.key).inserted else {
                problems.append("\(path): \(member.key): duplicate key")
                continue
            }
            readValue(member.value, of: member.key)
        }
    }

    private mutating func readValue(_ value: JSONValue, of key: String) {
        switch key {
        case "symbols": settings.symbols = list(value, of: key, "paths")?.map(located)
        case "sourceRoots": settings.sourceRoots = list(value, of: key, "folders")?.map(located)
        case "ownCode": settings.ownCode = list(value, of: key, "names of images")
        case "pathMap": settings.pathMap = map(value, of: key)
        case "debuginfod": settings.debuginfod = debuginfod(value, of: key)
        case "timeBudget":
            guard let seconds = value.number, seconds > 0, seconds <= 86_400 else {
                return refuse(value, of: key, "a number of seconds, more than 0 and at most 86400")
            }
            settings.timeBudget = seconds
        default:
            let suggestion = SimilarNames.suggestion(for: key, among: Self.keys)
            remarks.append(
                "\(path): \(key): unknown key."
                    + (suggestion.isEmpty ? " Expected one of \(Self.keys.joined(separator: ", "))" : suggestion))
        }
    }

    private mutating func list(_ value: JSONValue, of key: String, _ expected: String) -> [String]? {
        guard case .array(let elements) = value.content else {
            refuse(value, of: key, "a list of \(expected)")
            return nil
        }
        let strings = elements.compactMap(\.string)
        guard strings.count == elements.count, !strings.contains("") else {
            problems.append("\(path): \(key): an element is not a string: expected a list of \(expected)")
            return nil
        }
        return strings
    }

    private mutating func map(_ value: JSONValue, of key: String) -> [String: String]? {
        guard value.isObject, value.members.allSatisfy({ !$0.key.isEmpty && $0.value.string != nil }) else {
            refuse(value, of: key, "an object with old paths as keys and new paths as values, {\"/build/src\": \"/home/me/src\"}")
            return nil
        }
        return Dictionary(value.members.map { ($0.key, $0.value.string ?? "") }) { _, last in last }
    }

    private mutating func debuginfod(_ value: JSONValue, of key: String) -> Settings.Debuginfod? {
        switch value.content {
        case .bool(let isRequested): return isRequested ? .yes : .no
        case .array(let elements) where elements.allSatisfy({ $0.string != nil }): return .servers(elements.compactMap(\.string))
        default:
            refuse(value, of: key, "true, false or a list of servers' URLs")
            return nil
        }
    }

    private mutating func refuse(_ value: JSONValue, of key: String, _ expected: String) {
        problems.append("\(path): \(key): it is \(value.kind): expected \(expected)")
    }

    private func located(_ other: String) -> String {
        other.hasPrefix("/") || SymbolServer.isURL(other) ? other : Path.join(folder, other)
    }
}

extension JSONValue {
    /// Text that describes the value.
    fileprivate var kind: String {
        switch content {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer, .unsigned: "the number \(text ?? "")"
        case .other(let text): text.utf8.first.map { $0 < UInt8(ascii: "A") } == true ? "the number \(text)" : text
        case .string(let text): "the string “\(text.prefix(80))”"
        case .array: "a list"
        case .object: "an object of another form"
        }
    }

    /// A number, whole or not.
    fileprivate var number: Double? {
        switch content {
        case .integer(let value): Double(value)
        case .other(let text): Double(text)
        default: nil
        }
    }
}
