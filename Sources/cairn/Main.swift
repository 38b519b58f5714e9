internal import BinaryPrimitives

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The program. The name it was called by, then its first argument, decide what it is; the tools whose place it takes, and the bulk lookup, read their own
/// options, because their grammars are not the usual one and their start-up counts.
@main struct Cairn {
    static func main() {
        let arguments = processArguments()
        let rest = Array(arguments.dropFirst())
        if let personality = personality(named: stem(arguments.first ?? "")) { endProcess(personality(rest)) }
        switch rest.first {
        case "lookup": endProcess(Lookup.run(Array(rest.dropFirst())))
        case let name?:
            let others = Array(rest.dropFirst())
            if let personality = personality(named: name) { endProcess(personality(others)) }
            if !CommandTree.has(name), let status = Neighbours().run(name, others) { endProcess(status) }
        case nil: break
        }
        CommandTree.start(rest)
    }

    /// The tool that has this name.
    private static func personality(named name: String) -> (([String]) -> ExitStatus)? {
        switch name {
        case "atos": Atos.run
        case "addr2line": Addr2Line.run
        case "llvm-symbolizer": LLVMSymbolizer.run
        case "llvm-addr2line": LLVMSymbolizer.runAddr2Line
        default: nil
        }
    }

    /// A program's name without its folder and what packagers hang onto it: `/usr/bin/atos-19` is `atos`, `aarch64-linux-gnu-addr2line` is `addr2line`.
    private static func stem(_ path: String) -> String {
        let name = Path.name(of: path)
        guard let dash = name.utf8.lastIndex(of: UInt8(ascii: "-")) else { return name }
        let tail = name.utf8[name.utf8.index(after: dash)...]
        let isVersion = !tail.isEmpty && tail.allSatisfy { $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        if isVersion { return String(name[..<dash]) }
        // With the target that it was built for in front of its name: `aarch64-linux-gnu-addr2line`. LLVM's and elfutils' are other tools.
        return tail.elementsEqual("addr2line".utf8) && !["llvm", "eu"].contains(name[..<dash]) ? "addr2line" : name
    }
}

/// Ends the process; everything must have been written.
func endProcess(_ status: ExitStatus) -> Never { exit(status.rawValue) }
