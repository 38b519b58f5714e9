package import ArgumentParser

/// Reads plain command lines. ArgumentParser finds a command's options by reflection, which takes
/// three times as long as a log does; it has the last word all the same, and all the others.
///
/// A command line is plain if each option is known, is there once or is repeatable, and has its
/// value in the next argument or after `=`; no value begins with a dash. Of any other line, of help
/// and of errors, `isPlain` is false, and what was read does not count. `ArgumentScanTests`
/// compares both readings.
package struct ArgumentScan {
    /// Arguments that no option has consumed yet, in order; `nil` for a consumed one.
    private var arguments: [String?]
    /// Indices of the arguments that look like options.
    private var options: [Int] = []
    package private(set) var isPlain = true

    package init(_ arguments: ArraySlice<String>) {
        self.arguments = []
        for argument in arguments {
            // A dash alone is standard input.
            if argument.utf8.first == UInt8(ascii: "-"), argument != "-" { options.append(self.arguments.count) }
            self.arguments.append(argument)
        }
    }

    /// Whether the flag is there.
    package mutating func flag(_ name: OptionName) -> Bool {
        var isThere = false
        for index in options {
            guard let argument = arguments[index], name.spellings.contains(argument) else { continue }
            if isThere { isPlain = false }
            isThere = true
            arguments[index] = nil
        }
        return isThere
    }

    /// The value of an option.
    package mutating func value(_ name: OptionName) -> String? {
        let values = values(name)
        if values.count > 1 { isPlain = false }
        return values.first
    }

    /// The value of an option that has a list of them.
    package mutating func choice<Choice: RawRepresentable<String>>(_ name: OptionName, of type: Choice.Type = Choice.self) -> Choice? {
        guard let text = value(name) else { return nil }
        let choice = Choice(rawValue: text)
        if choice == nil { isPlain = false }
        return choice
    }

    /// The value of an option that is a number.
    package mutating func number<Number: LosslessStringConvertible>(_ name: OptionName, of type: Number.Type = Number.self) -> Number? {
        guard let text = value(name) else { return nil }
        let number = Number(text)
        if number == nil { isPlain = false }
        return number
    }

    /// Arguments that are not options; called when each option has been looked for.
    package mutating func operands() -> [String] {
        if options.contains(where: { arguments[$0] != nil }) { isPlain = false }
        return arguments.compactMap { $0 }
    }

    /// If `validate` objects to the values, ArgumentParser prints the error.
    package mutating func check(_ read: some ParsableArguments) {
        var read = read
        do { try read.validate() } catch { isPlain = false }
    }

    /// The values of a repeatable option.
    package mutating func values(_ name: OptionName) -> [String] {
        var values: [String] = []
        for index in options {
            guard let argument = arguments[index] else { continue }
            for spelling in name.spellings where argument.utf8.starts(with: spelling.utf8) {
                let rest = argument.utf8.dropFirst(spelling.utf8.count)
                if rest.isEmpty, index + 1 < arguments.count, !options.contains(index + 1), let value = arguments[index + 1] {
                    values.append(value)
                    arguments[index + 1] = nil
                } else if rest.first == UInt8(ascii: "="), spelling.utf8.starts(with: "--".utf8), let first = rest.dropFirst().first,
                    first < 0x80
                {
                    values.append(String(decoding: rest.dropFirst(), as: UTF8.self))
                } else {
                    // Without a value, with an empty one, the beginning of another option's name,
                    // or an equals sign with an accent.
                    continue
                }
                arguments[index] = nil
                break
            }
        }
        return values
    }
}
