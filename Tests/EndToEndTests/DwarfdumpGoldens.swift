import Testing

/// The goldens of `Goldens/dwarfdump`: made by llvm-dwarfdump 19 with these arguments, from the
/// fixtures' folder (`CAIRN_UPDATE_GOLDENS=1`).
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
        Golden("crash-example-lookup", "--arch=x86_64", "--lookup", "6805", "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden(
            "crash-example-lines", "--arch=x86_64", "--debug-line", "--debug-aranges", "--apple-names",
            "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden("clang-dwarf5-name", "--name", "main", "-p", "-c", "binaries/CXX/out/cxx-clang-dwarf5-O2"),
        Golden(
            "s390x-sections", "--debug-line", "--debug-frame", "--debug-abbrev", "--debug-rnglists",
            "binaries/Freestanding/out/machine-s390x"),
        Golden("gcc-dwarf2", "--debug-info", "binaries/C/out/c-gcc-dwarf2-O1"),
        Golden("gcc-dwarf5-forms", "--debug-info", "--show-form", "binaries/C/out/c-gcc-dwarf5-O2"),
        Golden("statistics-dsym", "--statistics", "binaries/CrashExample/out/CrashExample.dSYM"),
        Golden("statistics-clang-package", "--statistics", "binaries/SplitUnits/out/package-clang5"),
        Golden("statistics-gcc-package-dwarf4", "--statistics", "binaries/SplitUnits/out/package-gcc4"),
        Golden("statistics-rust", "--statistics", "binaries/RustCrash/out/tank.debug"),
        Golden("mips-big-endian", "--debug-info", "binaries/Freestanding/out/machine-mips-be"),
    ]
}
