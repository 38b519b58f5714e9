internal import BinaryPrimitives
package import Console

/// A tool that cairn replaces, by its name.
package struct Personality {
    /// The implementation of the tool.
    package enum Work {
        /// Runs in this program. Called with the arguments after the tool's name.
        case here(([String], ToolContext) -> ExitStatus)
        /// Another program beside this one, which has the command of this name.
        case neighbour(String)
    }

    package let work: Work

    /// Names of the replaced tools, which links can have.
    package static let names = ["addr2line", "atos", "dwarfdump", "eu-addr2line", "llvm-addr2line", "llvm-dwarfdump", "llvm-symbolizer"]

    /// The manuals of the tools that this program itself replaces.
    package static var manuals: [ToolManual] {
        [
            Addr2LineOptions.manual, AtosOptions.manual, EUAddr2LineOptions.manual, LLVMOptionTable.manual(isAddr2Line: true),
            LLVMOptionTable.manual(isAddr2Line: false),
        ]
    }

    /// The tool of a name; `nil` where there is none.
    package init?(named name: String) {
        switch name {
        case "atos": work = .here(Atos.run)
        case "addr2line": work = .here(Addr2Line.run)
        case "eu-addr2line": work = .here(EUAddr2Line.run)
        case "llvm-symbolizer": work = .here(LLVMSymbolizer.run)
        case "llvm-addr2line": work = .here(LLVMSymbolizer.runAddr2Line)
        case "dwarfdump", "llvm-dwarfdump": work = .neighbour("dwarfdump")
        default: return nil
        }
    }

    /// Finds the tool by the path that a program is called with: its name without the directory and without
    /// what packagers append. `/usr/bin/llvm-symbolizer-19` is `llvm-symbolizer`,
    /// `aarch64-linux-gnu-addr2line` is `addr2line`.
    package init?(program path: String) { self.init(named: Self.stem(path)) }

    private static func stem(_ path: String) -> String {
        let name = withoutVersion(Path.name(of: path))
        // The name may begin with the target that it was built for. LLVM's and elfutils' are other tools.
        let suffix = "-addr2line"
        guard name.hasSuffix(suffix) else { return name }
        let target = name.dropLast(suffix.utf8.count)
        return target.isEmpty || ["llvm", "eu"].contains { target == $0 || target.hasSuffix("-" + $0) } ? name : "addr2line"
    }

    /// `llvm-symbolizer` of `llvm-symbolizer-19.1`.
    private static func withoutVersion(_ name: String) -> String {
        guard let dash = name.utf8.lastIndex(of: UInt8(ascii: "-")) else { return name }
        let tail = name.utf8[name.utf8.index(after: dash)...]
        let isVersion = tail.first.map { isDigit($0) } ?? false && tail.allSatisfy { $0 == UInt8(ascii: ".") || isDigit($0) }
        return isVersion ? String(name[..<dash]) : name
    }
}
