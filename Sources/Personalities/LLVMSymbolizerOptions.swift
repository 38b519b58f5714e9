internal import BinaryPrimitives

/// llvm-symbolizer's own options, as far as they are read (`llvm/tools/llvm-symbolizer/Opts.td` of LLVM 19). Long names are taken with one dash or two, short ones also together (`-fie FILE`).
struct LLVMSymbolizerOptions {
    enum Style {
        case llvm
        case gnu
    }

    var style = Style.llvm
    var object: String?
    var architecture: Architecture?
    var showsFunctions = true
    var showsInlines = true
    var showsAddresses = false
    var demangles = true
    var printsNamesOnly = false
    var isPretty = false
    /// Taken from each address that is asked for (`--adjust-vma`).
    var adjustment: UInt64 = 0
    /// `llvm-addr2line`: every number is hexadecimal.
    let isAddr2Line: Bool
    var addresses: [String] = []

    /// Why the arguments cannot be used, in the tool's own words where it has some.
    struct Misuse: Error { var message: String }

    /// - Parameter isAddr2Line: called by the name of `llvm-addr2line`, which has other defaults.
    init(_ arguments: [String], isAddr2Line: Bool) throws(Misuse) {
        self.isAddr2Line = isAddr2Line
        if isAddr2Line { (style, showsFunctions, showsInlines, demangles) = (.gnu, false, false, false) }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                addresses.append(argument)
                continue
            }
            var name = argument[...]
            var given: String?
            if let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) {
                name = argument[..<equals]
                given = String(argument[argument.utf8.index(after: equals)...])
            }
            name = name.drop { $0 == "-" }
            func value() throws(Misuse) -> String {
                guard let value = given ?? rest.popFirst() else { throw Misuse(message: "\(argument): missing argument") }
                return value
            }
            switch name {
            case "obj", "exe", "e": object = try value()
            case "inlines", "inlining", "i": showsInlines = given != "false"
            case "no-inlines": showsInlines = false
            case "demangle", "C": demangles = given != "false"
            case "no-demangle": demangles = false
            case "functions", "f": try setFunctions(given ?? "linkage")
            case "basenames", "s": printsNamesOnly = true
            case "addresses", "print-address", "a": showsAddresses = true
            case "pretty-print", "p": isPretty = true
            case "output-style": try setStyle(try value())
            case "adjust-vma": adjustment = try Self.number(try value(), name)
            case "default-arch": architecture = Architecture(try value())
            // What they change is not there: a cache of open files, hints for dSYM bundles, colours of markup, tagged pointers.
            case "cache-size", "dsym-hint", "color": _ = name == "color" ? nil : try value()
            case "debuginfod", "no-debuginfod", "no-untag-addresses", "relative-address", "disable-gsym": break
            case "relativenames", "verbose", "skip-line-zero", "filter-markup", "build-id", "dwp", "debug-file-directory",
                "fallback-debug-path", "print-source-context-lines", "gsym-file-directory":
                throw Misuse(message: "\(argument): cairn does not answer this way")
            default: try setShort(argument, &rest)
            }
        }
    }

    /// Several short options in one argument; the last may be followed by its value.
    private mutating func setShort(_ argument: String, _ rest: inout ArraySlice<String>) throws(Misuse) {
        let letters = Array(argument.unicodeScalars)
        guard letters.count > 2, letters[1] != "-" else { throw Misuse(message: "unknown argument '\(argument)'") }
        for (index, letter) in letters.enumerated().dropFirst() {
            switch letter {
            case "a": showsAddresses = true
            case "C": demangles = true
            case "f": showsFunctions = true
            case "i": showsInlines = true
            case "p": isPretty = true
            case "s": printsNamesOnly = true
            case "e":
                var value = ""
                value.unicodeScalars.append(contentsOf: letters[(index + 1)...])
                guard let name = value.isEmpty ? rest.popFirst() : value else { throw Misuse(message: "-e: missing argument") }
                object = name
                return
            default: throw Misuse(message: "unknown argument '\(argument)'")
            }
        }
    }

    private mutating func setFunctions(_ kind: String) throws(Misuse) {
        switch kind {
        case "none": showsFunctions = false
        // As the tool: any other word means the linkage name.
        case "short": throw Misuse(message: "--functions=short: cairn prints linkage names only")
        default: showsFunctions = true
        }
    }

    private mutating func setStyle(_ name: String) throws(Misuse) {
        switch name {
        case "GNU": style = .gnu
        case "JSON": throw Misuse(message: "--output-style=JSON: cairn does not answer this way")
        // As the tool: any other word means its own.
        default: style = .llvm
        }
    }

    private static func number(_ text: String, _ option: Substring) throws(Misuse) -> UInt64 {
        guard let number = LLVMSymbolizerInput.number(text.utf8.span) else {
            throw Misuse(message: "--\(option): expected a number, but got '\(text)'")
        }
        return number
    }
}
