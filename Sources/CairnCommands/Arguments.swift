internal import CCairn

/// The process's arguments, the program's name first; without `/proc` too, which `CommandLine`
/// needs.
func processArguments() -> [String] {
    guard let arguments = unsafe cairn_arguments() else { return CommandLine.arguments }
    var result: [String] = []
    for index in 0..<Int(cairn_argument_count()) {
        if let argument = unsafe arguments[index] { result.append(unsafe String(cString: argument)) }
    }
    return result
}
