internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import CrashLogModel

/// The file of `cairn serve --config`: an object of JSON whose keys are the names of options without their dashes.
///
///     {"symbols": ["/srv/symbols", "unified+s3://symbols/prod"], "listen": "0.0.0.0:8080", "private": true, "memory": 4096}
///
/// Options of the command line go before those of the file.
enum ConfigFile {
    /// The arguments with those of the file in place of `--config FILE`, in front.
    /// - Throws: `ConfigFileError` with the file and what is wrong with it.
    static func expanded(_ arguments: [String]) throws(ConfigFileError) -> [String] {
        var rest: [String] = []
        var path: String?
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            if argument == "--config" {
                guard let value = remaining.popFirst() else { throw ConfigFileError(description: "--config: expected a file") }
                path = value
            } else if argument.hasPrefix("--config=") {
                path = String(argument.dropFirst("--config=".utf8.count))
            } else {
                rest.append(argument)
            }
        }
        guard let path else { return arguments }
        return try read(path) + rest
    }

    /// The options that the help lists, without their dashes.
    private static let names: Set<String> = {
        let parts = CairnServe.helpMessage(columns: 1000).split { !($0.isASCII && ($0.isLetter || $0 == "-")) }
        return Set(parts.filter { $0.hasPrefix("--") && $0.utf8.count > 2 }.map { String($0.dropFirst(2)) }).subtracting([
            "config", "help", "version",
        ])
    }()

    /// Bytes of the file, at most.
    private static let limit = 1 << 20

    private static func read(_ path: String) throws(ConfigFileError) -> [String] {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try MappedFile(path: path).allBytes(limit: limit) } catch {
            throw ConfigFileError(description: error.description)
        }
        guard let value = try? JSONGrammar.document(bytes.span, limits: .standard), value.isObject else {
            throw ConfigFileError(description: "\(path): expected an object of JSON: {\"symbols\": [\"/srv/symbols\"]}")
        }
        var arguments: [String] = []
        for member in value.members {
            let key = member.key
            guard names.contains(key) else {
                throw ConfigFileError(
                    description: "\(path): \(PlainText.line(key, limit: 40)): no such option of cairn serve."
                        + SimilarNames.suggestion(for: key, among: names))
            }
            let values = if case .array(let elements) = member.value.content { elements } else { [member.value] }
            for value in values {
                switch value.content {
                case .bool(true): arguments.append("--" + key)
                case .bool(false): break
                // A value may begin with a dash.
                case .string(let text): arguments.append("--\(key)=\(text)")
                case .integer(let number): arguments.append("--\(key)=\(number)")
                case .unsigned(let number): arguments.append("--\(key)=\(number)")
                default:
                    throw ConfigFileError(description: "\(path): \(key): expected a string, a whole number, true, false, or a list of them")
                }
            }
        }
        return arguments
    }
}

/// Why the file of options cannot be used.
struct ConfigFileError: Error, CustomStringConvertible {
    var description: String
}
