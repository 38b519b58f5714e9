internal import BinaryPrimitives

/// atos' own options. Each long name is taken with one dash or two.
struct AtosOptions {
    /// How an address that is asked for becomes one of the file.
    enum AddressSpace: Equatable {
        /// As linked.
        case file
        /// `-l`: of a process in which the file's first byte was at this address.
        case loaded(at: UInt64)
        /// `-s`: moved by this many bytes.
        case slid(by: UInt64)
        /// `-offset`: from the file's first byte.
        case offset
        /// `-textExecAddress`: of a kernel whose `__TEXT_EXEC` was at this address.
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
    var addresses: [String] = []

    /// Why the arguments cannot be used, in atos' own words where it has some.
    struct Misuse: Error { var message: String }

    init(_ arguments: [String]) throws(Misuse) {
        var rest = arguments[...]
        var spaces: [AddressSpace] = []
        func value(_ option: String) throws(Misuse) -> String {
            guard let value = rest.popFirst() else { throw Misuse(message: "option \(option) requires an argument") }
            return value
        }
        func number(_ option: String) throws(Misuse) -> UInt64 {
            let text = try value(option)
            guard let number = Numbers.hexadecimal(text) else {
                throw Misuse(message: "\(option) \(text): expected a hexadecimal address")
            }
            return number
        }
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                addresses.append(argument)
                continue
            }
            switch argument.drop(while: { $0 == "-" }) {
            case "o": files.append(try value(argument))
            case "arch": architecture = Architecture(try value(argument))
            case "l": spaces.append(.loaded(at: try number(argument)))
            case "s": spaces.append(.slid(by: try number(argument)))
            case "textExecAddress": spaces.append(.textExecutable(at: try number(argument)))
            case "offset": spaces.append(.offset)
            case "f": addressFile = try value(argument)
            case "d": delimiter = try value(argument)
            case "i", "inlineFrames": showsInlines = true
            case "fullPath": showsFullPath = true
            case "printHeader": printsHeader = true
            case "dedup": break
            case "p": throw Misuse(message: "-p \(try value(argument)): no processes are read here, expected -o with a file")
            default: throw Misuse(message: "unrecognized option '\(argument)'")
            }
        }
        guard spaces.count <= 1 else { throw Misuse(message: "only one of -s, -l, -textExecAddress or -offset may be given") }
        addressSpace = spaces.first ?? .file
        guard !files.isEmpty else { throw Misuse(message: "no processes or executables specified") }
    }

    static let usage = """
        usage: atos -o executable/dSYM [-f file-of-input-addresses] [-s slide | -l loadAddress | -textExecAddress addr | -offset]
                    [-arch architecture] [-printHeader] [-fullPath] [-inlineFrames] [-dedup] [-d delimiter] [address ...]
        """
}
