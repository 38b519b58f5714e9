import Testing

/// The goldens of `Goldens/dwarfdump`: made by llvm-dwarfdump 19 with these arguments, from the fixtures' folder (`CAIRN_UPDATE_GOLDENS=1`).
enum DwarfdumpGoldens {
    struct Golden: Sendable, CustomTestStringConvertible {
        var name: String
        var arguments: [String]
        var testDescription: String { name }

        init(_ name: String, _ arguments: String...) {
            self.name = name
            self.arguments = arguments
        }
    }

    static let all = [
        Golden("crash-example-uuid", "--uuid", "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden("crash-example-arm64", "--arch=arm64", "--debug-info", "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden("gcc-dwarf2", "--debug-info", "binaries/C/out/c-gcc-dwarf2-O1"),
        Golden("gcc-dwarf5-forms", "--debug-info", "--show-form", "binaries/C/out/c-gcc-dwarf5-O2"),
        Golden("mips-big-endian", "--debug-info", "binaries/Freestanding/out/machine-mips-be"),
    ]
}
