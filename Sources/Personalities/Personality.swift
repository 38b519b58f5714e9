internal import BinaryPrimitives

/// A tool whose place cairn takes: its options, its input and its words.
package struct Personality {
    /// Takes the arguments behind the tool's name.
    package let run: ([String]) -> ExitStatus

    /// The tool of a name; `nil` where there is none.
    package init?(named name: String) {
        switch name {
        case "atos": run = Atos.run
        case "addr2line": run = Addr2Line.run
        case "llvm-symbolizer": run = LLVMSymbolizer.run
        case "llvm-addr2line": run = LLVMSymbolizer.runAddr2Line
        default: return nil
        }
    }

    /// The tool that a program is called as, by its path: its name without the folder and what packagers hang onto it. `/usr/bin/atos-19` is `atos`,
    /// `aarch64-linux-gnu-addr2line` is `addr2line`.
    package init?(program path: String) { self.init(named: Self.stem(path)) }

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
