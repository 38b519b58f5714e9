/// GNU addr2line's own options (binutils 2.40). Long names may be cut where they stay unique, as `getopt_long(3)` has it; short ones may stand together.
struct Addr2LineOptions {
    var object = "a.out"
    var section: String?
    var showsFunctions = false
    var showsInlines = false
    var showsAddresses = false
    var isPretty = false
    var printsNamesOnly = false
    var demangles = false
    var addresses: [String] = []

    /// Why the arguments cannot be used, in the tool's own words.
    struct Misuse: Error { var message: String }

    /// The long names, and the letter that each stands for.
    private static let longNames: [(name: String, letter: Unicode.Scalar)] = [
        ("addresses", "a"), ("basenames", "s"), ("demangle", "C"), ("exe", "e"), ("functions", "f"), ("inlines", "i"),
        ("no-recurse-limit", "r"),
        ("pretty-print", "p"), ("recurse-limit", "R"), ("section", "j"), ("target", "b"),
    ]

    init(_ arguments: [String]) throws(Misuse) {
        var rest = arguments[...]
        var onlyAddresses = false
        while let argument = rest.popFirst() {
            if onlyAddresses || !argument.hasPrefix("-") || argument == "-" {
                addresses.append(argument)
            } else if argument == "--" {
                onlyAddresses = true
            } else if argument.hasPrefix("--") {
                try setLong(argument, &rest)
            } else {
                try setShort(argument, &rest)
            }
        }
    }

    private mutating func setLong(_ argument: String, _ rest: inout ArraySlice<String>) throws(Misuse) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first ?? ""
        let fitting = Self.longNames.filter { $0.name.hasPrefix(name) }
        guard let option = fitting.first(where: { $0.name == name }) ?? (fitting.count == 1 ? fitting.first : nil) else {
            throw Misuse(message: fitting.isEmpty ? "unrecognized option '\(argument)'" : "option '\(argument)' is ambiguous")
        }
        var value = parts.count > 1 ? String(parts[1]) : nil
        if Self.needsValue(option.letter), value == nil {
            value = rest.popFirst()
            if value == nil { throw Misuse(message: "option '--\(option.name)' requires an argument") }
        }
        try set(option.letter, value)
    }

    private mutating func setShort(_ argument: String, _ rest: inout ArraySlice<String>) throws(Misuse) {
        var letters = Substring(argument).unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard Self.needsValue(letter) else {
                try set(letter, nil)
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw Misuse(message: "option requires an argument -- '\(letter)'")
            }
            return try set(letter, value)
        }
    }

    private static func needsValue(_ letter: Unicode.Scalar) -> Bool { letter == "e" || letter == "j" || letter == "b" }

    private mutating func set(_ letter: Unicode.Scalar, _ value: String?) throws(Misuse) {
        switch letter {
        case "a": showsAddresses = true
        case "C": demangles = true
        case "e": object = value ?? ""
        case "f": showsFunctions = true
        case "i": showsInlines = true
        case "j": section = value
        case "p": isPretty = true
        case "s": printsNamesOnly = true
        // The container is told by the file's own bytes; demangling is always limited.
        case "b", "r", "R": break
        default: throw Misuse(message: "invalid option -- '\(letter)'")
        }
    }

    static let usage = "usage: addr2line [-afipsC] [-e FILE] [-j SECTION] [ADDRESS...]"
}
