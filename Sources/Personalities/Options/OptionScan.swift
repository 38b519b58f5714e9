/// Reads options as `getopt_long(3)` of the GNU C library does, with its messages: options and operands in
/// any order, `--` before operands only, letters combined, long names abbreviated as long as they are unique.
struct OptionScan {
    /// Error in the arguments, without the tool's name.
    struct Misuse: Error, Equatable { var message: String }

    struct Choice {
        var option: ToolOption
        var value: String?
    }

    private let table: [ToolOption]
    private var rest: ArraySlice<String>
    /// Remaining letters of the argument that is being read.
    private var letters: Substring.UnicodeScalarView = ""[...].unicodeScalars
    /// Arguments that are not options, in order; complete when there is no next option.
    private(set) var operands: [String] = []

    init(_ arguments: [String], _ table: [ToolOption]) {
        self.table = table
        rest = arguments[...]
    }

    /// - Returns: `nil` after the last option.
    mutating func next() throws(Misuse) -> Choice? {
        if !letters.isEmpty { return try nextLetter() }
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                rest = []
            } else if argument.hasPrefix("--") {
                return try long(argument.dropFirst(2))
            } else if argument.hasPrefix("-"), argument != "-" {
                letters = argument.dropFirst().unicodeScalars
                return try nextLetter()
            } else {
                operands.append(argument)
            }
        }
        return nil
    }

    private mutating func nextLetter() throws(Misuse) -> Choice? {
        guard let letter = letters.popFirst() else { return nil }
        guard let option = table.first(where: { $0.letters.unicodeScalars.contains(letter) }) else {
            throw Misuse(message: "invalid option -- '\(letter)'")
        }
        if case .required = option.value {
            let attached = letters.isEmpty ? nil : String(letters)
            letters = ""[...].unicodeScalars
            guard let value = attached ?? rest.popFirst() else { throw Misuse(message: "option requires an argument -- '\(letter)'") }
            return Choice(option: option, value: value)
        }
        return Choice(option: option)
    }

    private mutating func long(_ argument: Substring) throws(Misuse) -> Choice? {
        let equals = argument.utf8.firstIndex(of: UInt8(ascii: "="))
        let typed = argument[..<(equals ?? argument.endIndex)]
        var value = equals.map { String(argument[argument.utf8.index(after: $0)...]) }
        let (option, name) = try option(named: typed, argument)
        switch option.value {
        case .none: if value != nil { throw Misuse(message: "option '--\(name)' doesn't allow an argument") }
        case .optional: break
        case .required:
            value = value ?? rest.popFirst()
            if value == nil { throw Misuse(message: "option '--\(name)' requires an argument") }
        }
        return Choice(option: option, value: value)
    }

    private func option(named typed: Substring, _ argument: Substring) throws(Misuse) -> (ToolOption, String) {
        var fitting: [(option: ToolOption, name: String)] = []
        for option in table {
            for name in option.names where name.hasPrefix(typed) {
                if name == typed { return (option, name) }
                if !option.isHidden { fitting.append((option, name)) }
            }
        }
        guard let first = fitting.first else { throw Misuse(message: "unrecognized option '--\(argument)'") }
        // Several names of one option are not ambiguous.
        guard fitting.allSatisfy({ $0.option.key == first.option.key }) else {
            let names = fitting.map { " '--\($0.name)'" }.joined()
            throw Misuse(message: "option '--\(argument)' is ambiguous; possibilities:\(names)")
        }
        return first
    }
}
