extension LLVMOptionTable {
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
