internal import BinaryPrimitives
internal import Console

/// atos' own options. Each long name is accepted with one dash or two.
struct AtosOptions {
    /// How a requested address is converted to one of the file.
    enum AddressSpace: Equatable {
        /// Linked address.
        case file
        /// `-l`: address in a process in which the file's first byte was at this address.
        case loaded(at: UInt64)
        /// `-s`: address moved by this many bytes.
        case slid(by: UInt64)
        /// `-offset`: offset from the file's first byte.
        case offset
        /// `-textExecAddress`: address in a kernel whose `__TEXT_EXEC` was at this address.
        case textExecutable(at: UInt64)
    }

    var files: [String] = []
    var addressSpace = AddressSpace.file
    var architecture: Architecture?
    var showsInlines = false
    var showsFullPath = false
    var delimiter = "\n"
    var printsHeader = false
    var addressFile: String?
    var wantsHelp = false
    var addresses: [String] = []

    /// Error in the arguments, in atos' own words if it has some.
    struct Misuse: Error { var message: String }

    static let table = [
        ToolOption(
            "", "o", value: .required("FILE"),
            help: "an object file or a dSYM bundle; of several, the first one with the address is used"),
        ToolOption(
            "", "arch", value: .required("ARCHITECTURE"), help: "the slice of universal files (this machine's); arm64 takes arm64e too"),
        ToolOption("", "l", value: .required("ADDRESS"), help: "where the image was loaded; hexadecimal"),
        ToolOption("", "s", value: .required("SLIDE"), help: "how far the image was moved; hexadecimal"),
        ToolOption("", "offset", help: "addresses count from the image's first byte"),
        ToolOption("", "textExecAddress", value: .required("ADDRESS"), help: "where the kernel's __TEXT_EXEC was loaded; hexadecimal"),
        ToolOption("", "f", value: .required("FILE"), help: "take addresses from a file, parted by white space"),
        ToolOption("", "fullPath", help: "file names with directories"),
        ToolOption("", "inlineFrames", "i", help: "show inlined frames, innermost first; an empty line ends each result"),
        ToolOption("", "d", value: .required("DELIMITER"), help: "separator between the lines of one result, instead of a line ending"),
        ToolOption("", "dedup", help: "accepted: of functions that were folded into one the linker keeps one name"),
        ToolOption("", "printHeader", help: "begin with a line with the file and its load address"),
        ToolOption("", "p", value: .required("PROCESS"), help: "not supported: cairn does not read processes"),
        ToolOption("", "help", "h", help: "show this help"),
    ]

    init(_ arguments: [String]) throws(Misuse) {
        var rest = arguments[...]
        var spaces: [AddressSpace] = []
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                addresses.append(argument)
                continue
            }
            let name = argument.hasPrefix("--") ? argument.dropFirst(2) : argument.dropFirst()
            guard let option = Self.table.first(where: { $0.names.contains { $0 == name } }) else {
                throw Misuse(message: "unrecognized option '\(argument)'")
            }
            var value = ""
            if case .required = option.value {
                guard let next = rest.popFirst() else { throw Misuse(message: "option \(argument) requires an argument") }
                value = next
            }
            try set(option.key, value, argument, &spaces)
            if wantsHelp { return }
        }
        guard spaces.count <= 1 else { throw Misuse(message: "only one of -s, -l, -textExecAddress or -offset may be given") }
        addressSpace = spaces.first ?? .file
        guard !files.isEmpty else { throw Misuse(message: "no processes or executables specified") }
    }

    private mutating func set(_ option: String, _ value: String, _ argument: String, _ spaces: inout [AddressSpace]) throws(Misuse) {
        /// Always hexadecimal, with `0x` or without.
        func number() throws(Misuse) -> UInt64 {
            guard let number = Numbers.hexadecimal(value) else {
                throw Misuse(message: "\(argument) \(value): expected a hexadecimal address")
            }
            return number
        }
        switch option {
        case "o": files.append(value)
        case "arch": architecture = Architecture(value)
        case "l": spaces.append(.loaded(at: try number()))
        case "s": spaces.append(.slid(by: try number()))
        case "textExecAddress": spaces.append(.textExecutable(at: try number()))
        case "offset": spaces.append(.offset)
        case "f": addressFile = value
        case "d": delimiter = value
        case "inlineFrames": showsInlines = true
        case "fullPath": showsFullPath = true
        case "printHeader": printsHeader = true
        case "help": wantsHelp = true
        case "p":
            throw Misuse(
                message: "-p \(value): no processes are read here, expected -o with a file and -l with the address that it was loaded at")
        // Folded functions have only one name, which is printed.
        default: break
        }
    }

    static let usage = """
        usage: atos -o executable/dSYM [-f file-of-input-addresses] [-s slide | -l loadAddress | -textExecAddress addr | -offset]
                    [-arch architecture] [-printHeader] [-fullPath] [-inlineFrames] [-dedup] [-d delimiter] [address ...]
        """

    static let manual = ToolManual(
        name: "atos", summary: "turn addresses of a process into names and lines, as Apple's atos does",
        synopsis: "-o FILE [-arch ARCHITECTURE] [-l ADDRESS | -s SLIDE | -offset | -textExecAddress ADDRESS] [OPTION...] [ADDRESS...]",
        grammar: .oneDash, options: table,
        remarks: [
            "Results are in the order of the arguments: name (in Image) (File.m:94), without a line name (in Image) + 88, without a name 0xADDRESS (in Image), and outside every file the address as typed. 0x1a2b is hexadecimal, 6805 decimal. Without addresses, standard input is read line by line.",
            "An address is looked up unadjusted: subtract 1 from a return address. Without -inlineFrames the result is the function that contains the code, with its line. A file that cannot be read ends the tool with status 1.",
            "What differs from Apple's: ELF files work, too; processes (-p) are not supported.",
        ])
}
