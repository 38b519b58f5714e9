internal import BinaryPrimitives

/// The options of llvm-symbolizer by their names, and their form in arguments. Short ones may be combined
/// (`-apCie FILE`). Long names are also accepted with one dash, as LLVM before version 13 did.
enum LLVMOptionTable {
    enum Option {
        case addresses, adjustVMA, basenames, relativenames, buildID, cacheSize, color, colorWhen, debugFileDirectory, debuginfod,
            noDebuginfod
        case defaultArch, demangle, noDemangle, dia, dsymHint, dwp, fallbackDebugPath, filterMarkup, functions, functionsHow, help, inlines
        case noInlines, object, outputStyle, prettyPrint, contextLines, relativeAddress, untag, noUntag, verbose, version, strictCompat
        case skipLineZero, gsymFileDirectory, disableGSYM
    }

    enum Value {
        case none
        /// The value is after `=`, or the next argument.
        case required(String)
        /// The value is after `=` only.
        case joined(String)
    }

    struct Declaration {
        var name: String
        var option: Option
        var value: Value
        /// Empty if another declaration of the option has it.
        var help: String
    }

    static let declarations: [Declaration] = [
        Declaration(name: "addresses", option: .addresses, value: .none, help: "Show address before line information"),
        Declaration(name: "print-address", option: .addresses, value: .none, help: "Alias for --addresses"),
        Declaration(
            name: "adjust-vma", option: .adjustVMA, value: .required("<offset>"), help: "Add specified offset to object file addresses"),
        Declaration(name: "basenames", option: .basenames, value: .none, help: "Strip directory names from paths"),
        Declaration(
            name: "build-id", option: .buildID, value: .required("<hex>"), help: "Look up the object file by this build ID"),
        Declaration(name: "cache-size", option: .cacheSize, value: .required("<bytes>"), help: "Accepted and ignored"),
        Declaration(name: "color", option: .color, value: .none, help: "Use colour when filtering markup"),
        Declaration(name: "color", option: .colorWhen, value: .joined("<when>"), help: "always, auto, never"),
        Declaration(
            name: "debug-file-directory", option: .debugFileDirectory, value: .required("<dir>"), help: "Directory of debug files"),
        Declaration(name: "debuginfod", option: .debuginfod, value: .none, help: "Use debug files that LLVM's tools have fetched"),
        Declaration(name: "no-debuginfod", option: .noDebuginfod, value: .none, help: "Do not use them"),
        Declaration(
            name: "default-arch", option: .defaultArch, value: .required("<arch>"), help: "Default architecture of universal files"),
        Declaration(name: "demangle", option: .demangle, value: .none, help: "Demangle function names"),
        Declaration(name: "no-demangle", option: .noDemangle, value: .none, help: "Don't demangle function names"),
        Declaration(name: "dia", option: .dia, value: .none, help: ""),
        Declaration(
            name: "dsym-hint", option: .dsymHint, value: .required("<dir>"), help: "A dSYM bundle with debug information"),
        Declaration(name: "dwp", option: .dwp, value: .required("<file>"), help: "The package of split units"),
        Declaration(
            name: "fallback-debug-path", option: .fallbackDebugPath, value: .required("<dir>"),
            help: "Directory of debug files, searched last"
        ),
        Declaration(name: "filter-markup", option: .filterMarkup, value: .none, help: "Filter symbolizer markup from standard input"),
        Declaration(name: "functions", option: .functions, value: .none, help: "Print function names"),
        Declaration(name: "functions", option: .functionsHow, value: .joined("<how>"), help: "none, short, linkage"),
        Declaration(name: "help", option: .help, value: .none, help: "Display this help"),
        Declaration(name: "inlines", option: .inlines, value: .none, help: "Print all inlined frames for a given address"),
        Declaration(name: "inlining", option: .inlines, value: .none, help: "Alias for --inlines"),
        Declaration(name: "inlining=true", option: .inlines, value: .none, help: ""),
        Declaration(name: "inlining=false", option: .noInlines, value: .none, help: ""),
        Declaration(name: "inlines=true", option: .inlines, value: .none, help: ""),
        Declaration(name: "inlines=false", option: .noInlines, value: .none, help: ""),
        Declaration(name: "demangle=true", option: .demangle, value: .none, help: ""),
        Declaration(name: "demangle=false", option: .noDemangle, value: .none, help: ""),
        Declaration(name: "no-inlines", option: .noInlines, value: .none, help: "Do not print inlined frames"),
        Declaration(name: "obj", option: .object, value: .required("<file>"), help: "The object file; else each line of input names one"),
        Declaration(name: "exe", option: .object, value: .required("<file>"), help: "Alias for --obj"),
        Declaration(name: "output-style", option: .outputStyle, value: .required("<style>"), help: "LLVM, GNU, JSON"),
        Declaration(name: "pretty-print", option: .prettyPrint, value: .none, help: "Make the output more human friendly"),
        Declaration(
            name: "print-source-context-lines", option: .contextLines, value: .required("<n>"), help: "Print N lines of source text"),
        Declaration(name: "relative-address", option: .relativeAddress, value: .none, help: "Accepted and ignored"),
        Declaration(name: "relativenames", option: .relativenames, value: .none, help: "Strip the compilation directory from paths"),
        Declaration(name: "untag-addresses", option: .untag, value: .none, help: "Remove memory tags from symbols' addresses"),
        Declaration(name: "no-untag-addresses", option: .noUntag, value: .none, help: "Leave memory tags"),
        Declaration(name: "verbose", option: .verbose, value: .none, help: "Print verbose line information"),
        Declaration(
            name: "skip-line-zero", option: .skipLineZero, value: .none,
            help: "Use the last line before code that has none (LLVM 21)"),
        Declaration(name: "gsym-file-directory", option: .gsymFileDirectory, value: .required("<dir>"), help: "Accepted and ignored"),
        Declaration(name: "disable-gsym", option: .disableGSYM, value: .none, help: "Accepted and ignored"),
        Declaration(name: "strict-compat", option: .strictCompat, value: .none, help: ""),
        Declaration(name: "version", option: .version, value: .none, help: "Display the version"),
    ]

    /// The letters that abbreviate long names, and, for those with a value, whether it may be the
    /// next argument.
    static let letters: [(letter: UInt8, option: Option, hasValue: Bool)] = [
        (UInt8(ascii: "a"), .addresses, false), (UInt8(ascii: "C"), .demangle, false), (UInt8(ascii: "e"), .object, true),
        (UInt8(ascii: "f"), .functions, false), (UInt8(ascii: "h"), .help, false), (UInt8(ascii: "i"), .inlines, false),
        (UInt8(ascii: "p"), .prettyPrint, false), (UInt8(ascii: "s"), .basenames, false), (UInt8(ascii: "v"), .version, false),
    ]

    enum Part {
        case input(String)
        case option(Option, String)
        /// The error message.
        case unknown(String)
    }

    /// Splits the arguments into options and inputs. A missing value is reported before everything else, as
    /// the tool does.
    static func read(_ arguments: [String]) -> [Part] {
        var parts: [Part] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.utf8.first == UInt8(ascii: "-"), argument != "-" else {
                parts.append(.input(argument))
                continue
            }
            let isLong = argument.hasPrefix("--")
            if let part = readLong(argument, &rest) {
                if case .unknown = part {
                    parts.insert(part, at: 0)
                } else {
                    parts.append(part)
                }
            } else if isLong {
                parts.append(.unknown(unknown(argument)))
            } else {
                readGroup(argument, &rest, &parts)
            }
        }
        return parts
    }

    /// - Returns: `nil` if the argument is not a long option.
    private static func readLong(_ argument: String, _ rest: inout ArraySlice<String>) -> Part? {
        let name = argument.drop { $0 == "-" }
        if let declaration = declarations.first(where: { $0.name == name }) {
            guard case .required = declaration.value else { return .option(declaration.option, "") }
            guard let value = rest.popFirst() else { return .unknown("\(argument): missing argument") }
            return .option(declaration.option, value)
        }
        guard let equals = name.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = String(name[name.utf8.index(after: equals)...])
        for declaration in declarations where declaration.name == name[..<equals] {
            if case .none = declaration.value { continue }
            return .option(declaration.option, value)
        }
        return nil
    }

    /// Reads combined short options; the last may be followed by its value. An unknown letter is reported,
    /// and the rest is read.
    private static func readGroup(_ argument: String, _ rest: inout ArraySlice<String>, _ parts: inout [Part]) {
        let bytes = Array(argument.utf8)
        var index = 1
        while index < bytes.count {
            let letter = bytes[index]
            index += 1
            guard let known = letters.first(where: { $0.letter == letter }) else {
                // A letter of more than one byte is no option.
                let text = String(decoding: bytes[(index - 1)...], as: UTF8.self).prefix(1)
                parts.append(.unknown("unknown argument '-\(text)'"))
                index += text.utf8.count - 1
                continue
            }
            let tail = index < bytes.count ? String(decoding: bytes[index...], as: UTF8.self) : nil
            if known.hasValue {
                if let tail { return parts.append(.option(known.option, tail.hasPrefix("=") ? String(tail.dropFirst()) : tail)) }
                guard let value = rest.popFirst() else {
                    return parts.insert(.unknown("-\(Character(Unicode.Scalar(letter))): missing argument"), at: 0)
                }
                return parts.append(.option(known.option, value))
            }
            if let tail, tail.hasPrefix("=") {
                // Only `-f` has a form with a value.
                guard letter == UInt8(ascii: "f"), index == 2 else {
                    return parts.append(.unknown("unknown argument '-\(Character(Unicode.Scalar(letter)))\(tail)'"))
                }
                return parts.append(.option(.functionsHow, String(tail.dropFirst())))
            }
            parts.append(.option(known.option, ""))
        }
    }

    /// The tool's message for an unknown option, with a suggestion that differs by one letter.
    private static func unknown(_ argument: String) -> String {
        let typed = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? argument
        let nearest = declarations.first { $0.name.utf8.count >= 4 && !$0.help.isEmpty && differsByOne("--" + $0.name, typed) }
        return "unknown argument '\(argument)'" + (nearest.map { ", did you mean '--\($0.name)'?" } ?? "")
    }

    /// Whether one text has a byte more or less than the other, or one byte that differs.
    private static func differsByOne(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard abs(left.count - right.count) <= 1 else { return false }
        let same = zip(left, right).prefix { $0 == $1 }.count
        let (leftRest, rightRest) = (left.dropFirst(same), right.dropFirst(same))
        if left.count == right.count { return leftRest.dropFirst().elementsEqual(rightRest.dropFirst()) }
        return left.count > right.count
            ? leftRest.dropFirst().elementsEqual(rightRest) : leftRest.elementsEqual(rightRest.dropFirst())
    }

    /// Text that `--help` prints.
    static func help(_ tool: String) -> String {
        var text = "OVERVIEW: \(tool)\n\nUSAGE: \(tool) [options] addresses...\n\nOPTIONS:\n"
        var rows: [(String, String)] = declarations.filter { !$0.help.isEmpty }.map { declaration in
            switch declaration.value {
            case .none: ("--\(declaration.name)", declaration.help)
            case .required(let value), .joined(let value): ("--\(declaration.name)=\(value)", declaration.help)
            }
        }
        for (letter, option, hasValue) in letters {
            let name = declarations.first { $0.option == option }.map(\.name) ?? ""
            rows.append(("-\(Character(Unicode.Scalar(letter)))\(hasValue ? " <file>" : "")", "Alias for --\(name)"))
        }
        rows.append(("-f=<how>", "Alias for --functions="))
        let width = 34
        for (name, help) in rows { text += "  \(name)\(String(repeating: " ", count: max(1, width - name.count)))\(help)\n" }
        return text + "\nPass @FILE as argument to read options from FILE.\n"
    }

    /// Returns the manual of llvm-symbolizer, or llvm-addr2line, made from the declarations that its
    /// arguments are parsed by.
    static func manual(isAddr2Line: Bool) -> ToolManual {
        var options: [ToolOption] = []
        for declaration in declarations where !declaration.help.isEmpty {
            let isFirst = declarations.first { $0.option == declaration.option }?.name == declaration.name
            let letter =
                isFirst ? letters.first { $0.option == declaration.option }.map { String(Character(Unicode.Scalar($0.letter))) } : nil
            let value: ToolOption.Value =
                switch declaration.value {
                case .none: .none
                case .required(let word): .required(word.filter { $0 != "<" && $0 != ">" }.uppercased())
                case .joined(let word): .optional(word.filter { $0 != "<" && $0 != ">" }.uppercased())
                }
            // `--color` and `--color=WHEN` are listed as one option.
            if let index = options.firstIndex(where: { $0.names.first == declaration.name }) {
                options[index] = ToolOption(
                    options[index].letters, declaration.name, value: value, help: options[index].help + ": " + declaration.help)
            } else {
                let help = declaration.help.prefix(1).lowercased() + declaration.help.dropFirst()
                options.append(ToolOption(letter ?? "", declaration.name, value: value, help: help))
            }
        }
        let name = isAddr2Line ? "llvm-addr2line" : "llvm-symbolizer"
        let defaults =
            isAddr2Line
            ? "Every number is hexadecimal. Names, inlined frames and demangling need -f, -i and -C. The output style is GNU."
            : "Numbers are as C writes them: 0x1f, 037, 31."
        return ToolManual(
            name: name, summary: "turn addresses into names, files, lines and columns, as LLVM's \(name) does",
            synopsis: "[OPTION...] [ADDRESS...]", grammar: .twoDashes, options: options,
            remarks: [
                "Addresses are of the file that --obj names, or of the file that a line of input names: [CODE |DATA |FRAME ]FILE ADDRESS. Without addresses, they are read from standard input, and results are written as soon as no more input is waiting. @FILE among the arguments is replaced with the arguments in that file. "
                    + defaults,
                "What differs from LLVM 19: an address outside every function has no name, and a function without debug information no file. With --strict-compat, or CAIRN_STRICT_COMPAT=1 in the environment, these are as LLVM has them.",
            ])
    }
}
