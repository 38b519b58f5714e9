internal import DWARFInspection

/// Converts llvm-dwarfdump's and Apple's command lines to the form that the usual parser reads: long names
/// with one dash or two, values after `=` of short names, and offsets after sections' names.
enum DumpArguments {
    private static let longNames: Set<String> = [
        "all", "lookup", "name", "regex", "ignore-case", "find", "uuid", "arch", "show-children", "show-parents", "recurse-depth",
        "parent-recurse-depth", "show-form", "diff", "summarize-types", "verbose", "format", "statistics", "verify", "error-display",
        "verify-json", "quiet",
        "show-section-sizes", "show-sources", "eh-frame", "help", "version", "time-limit", "memory-limit",
    ]

    /// Returns an option of llvm-dwarfdump that is not implemented. If one is given, the program prints that,
    /// and dumps nothing.
    static func unbuilt(_ arguments: [String]) -> String? {
        let names: Set<String> = ["find-all-apple", "dwo"]
        return arguments.prefix { $0 != "--" }.first { argument in
            argument.hasPrefix("-") && names.contains(String(argument.drop { $0 == "-" }.prefix { $0 != "=" }))
        }
    }

    static func translated(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var isBehindEnd = false
        for argument in arguments {
            if isBehindEnd || !argument.hasPrefix("-") || argument == "-" {
                result.append(argument)
                continue
            }
            if argument == "--" { isBehindEnd = true }
            let name = String(argument.drop { $0 == "-" }.prefix { $0 != "=" })
            let value = argument.firstIndex(of: "=").map { String(argument[argument.index(after: $0)...]) }
            let isSection = DumpOptions.Section(rawValue: name) != nil || name == "eh-frame"
            if isSection, let value {
                result.append("--section-offset=\(name == "eh-frame" ? "debug-frame" : name)=\(value)")
            } else if isSection || longNames.contains(name) {
                result.append("--" + argument.drop { $0 == "-" })
            } else if name.utf8.count == 1, !argument.hasPrefix("--"), let value {
                result += ["-" + name, value]
            } else {
                result.append(argument)
            }
        }
        return result
    }
}
