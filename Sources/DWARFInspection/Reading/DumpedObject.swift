internal import BinaryPrimitives
package import ObjectFiles

/// One object that is dumped: its sections, and its units where it has some.
package final class DumpedObject {
    package let file: ObjectFile
    /// As it is called in the output: `libfoo.a(foo.o)`, `App(arm64)`.
    package let name: String
    let sections: DumpedSections
    /// The units of `.debug_info` and `.debug_types`.
    let main: DumpContext?
    /// Those of the sections of a `.dwo` file or package.
    let split: DumpContext?
    let registers: DWARFRegisterNames?
    let report: (String) -> Void

    /// - Parameter report: gets what is damaged, a sentence each.
    package init(_ file: ObjectFile, name: String, report: @escaping (String) -> Void) {
        InspectionPhase.sections.begin()
        self.file = file
        self.name = name
        self.report = report
        sections = DumpedSections(file)
        registers = DWARFRegisterNames(architecture: file.architecture == .arm64_32 ? "arm64" : file.architecture.family)
        main = Self.context(sections, isSplit: false, report)
        split = Self.context(sections, isSplit: true, report)
        split?.linked = main
    }

    private static func context(_ sections: DumpedSections, isSplit: Bool, _ report: @escaping (String) -> Void) -> DumpContext? {
        let suffix = isSplit ? ".dwo" : ""
        guard [".debug_info", ".debug_types"].contains(where: { !sections.file.debugSections(named: $0 + suffix).isEmpty })
        else {
            return nil
        }
        do throws(DumpError) { return try DumpContext(sections, isSplit: isSplit, report: report) } catch {
            report(error.problem)
            return nil
        }
    }

    var architectureName: String { file.architecture.name }

    /// The UUID or build ID.
    var identityText: String? { file.identity?.description }

    /// The name that LLVM has for the format: `elf64-x86-64`, `Mach-O arm64`.
    var format: String {
        let description = file.description
        let isLong = description.addressSize == 8
        let isLittle = description.byteOrder == .littleEndian
        let architecture = description.architecture.family
        if description.container == .pe {
            let names = ["x86_64": "x86-64", "arm64": "ARM64", "arm": "ARM"]
            return "COFF-" + (names[architecture] ?? architecture)
        }
        if description.container == .webAssembly { return "WASM" }
        guard description.container == .elf else {
            switch architecture {
            case "arm64": return "Mach-O arm64"
            case "arm64_32": return "Mach-O arm64 (ILP32)"
            case "x86_64": return "Mach-O 64-bit x86-64"
            case "i386": return "Mach-O 32-bit i386"
            case "arm", "armv6m", "armv7m", "armv7em": return "Mach-O arm"
            case "ppc": return "Mach-O 32-bit ppc"
            case "ppc64": return "Mach-O 64-bit ppc64"
            default: return isLong ? "Mach-O 64-bit unknown" : "Mach-O 32-bit unknown"
            }
        }
        let prefix = isLong ? "elf64-" : "elf32-"
        switch architecture {
        case "x86_64": return prefix + "x86-64"
        case "i386": return prefix + "i386"
        case "arm64": return prefix + (isLittle ? "littleaarch64" : "bigaarch64")
        case "arm": return prefix + (isLittle ? "littlearm" : "bigarm")
        case "mips", "mips64": return prefix + "mips"
        case "ppc", "ppc64": return prefix + (isLittle ? "powerpcle" : "powerpc")
        case "riscv32", "riscv64": return prefix + "littleriscv"
        case "s390x": return prefix + "s390"
        case "sparc", "sparcv9": return prefix + "sparc"
        case "bpf": return prefix + "bpf"
        case "loongarch64", "loongarch32": return prefix + "loongarch"
        case "m68k": return prefix + "m68k"
        case "csky": return prefix + "csky"
        default: return prefix + "unknown"
        }
    }
}
