/// Intended differences from `addr2line` and `eu-addr2line`: in which files, with which flags, and
/// why. Every combination that is not listed prints the same bytes.
enum FlagDifferences {
    struct Row {
        var tool: String
        var object: String
        var modes: Set<FlagCombination.Mode>
        /// Conditions, of which one has to hold: flags that are all given, or with `!` are not. The
        /// empty one always holds.
        var flags: [String]
        var reason: String

        func covers(_ combination: FlagCombination) -> Bool {
            guard combination.tool == tool, combination.object == object, modes.contains(combination.mode) else { return false }
            return flags.contains { condition in
                condition.split(separator: " ").allSatisfy { flag in
                    flag.first == "!" ? !combination.flags.contains(String(flag.dropFirst())) : combination.flags.contains(String(flag))
                }
            }
        }
    }

    /// - Returns: why a combination differs; `nil` where it has to print the same.
    static func reason(_ combination: FlagCombination) -> String? { rows.first { $0.covers(combination) }?.reason }

    private static let rows: [Row] = [
        Row(
            tool: "addr2line", object: "C/out/c-gcc-dwarf5-O2", modes: [.usual], flags: ["-f"],
            reason: "a part that gcc split off is called as its symbol is (check.isra.0.cold); binutils calls it as the whole"),
        Row(
            tool: "addr2line", object: "C/out/c-clang-dwarf5-O2", modes: [.everywhereStrict], flags: ["-f", "-i"],
            reason: "binutils 2.40 misses calls inlined from ranges in .debug_rnglists"),
        Row(
            tool: "addr2line", object: "CXX/out/cxx-clang-dwarf4-O2", modes: [.usual, .usualStrict], flags: ["-f !-C"],
            reason: "binutils takes a destructor's name from its declaration (_ZN5NamedD4Ev); the symbol is _ZN5NamedD1Ev"),
        Row(
            tool: "addr2line", object: "CXX/out/cxx-clang-dwarf4-O2", modes: [.everywhereStrict], flags: [""],
            reason: "binutils gives data_start, a variable, the line of a function"),
        Row(
            tool: "addr2line", object: "CXX/out/cxx-gcc-dwarf4-O0", modes: [.usual], flags: ["-f"],
            reason: "lambdas are spelled as LLVM spells them; a constructor is called by another of its symbols (_ZN7StarterC1Ev)"),
        Row(
            tool: "addr2line", object: "CXX/out/cxx-gcc-dwarf4-O0", modes: [.usualStrict], flags: ["-f !-C"],
            reason: "a constructor has two symbols at one address (_ZN7StarterC1Ev, _ZN7StarterC2Ev); binutils takes the other one"),
        Row(
            tool: "addr2line", object: "CXX/out/cxx-gcc-dwarf4-O0", modes: [.everywhereStrict], flags: ["-f"],
            reason: "binutils calls an inlined function that has no linker's name by the symbol around it"),
        Row(
            tool: "addr2line", object: "CXX/out/cxx-gcc-lto", modes: [.usual, .usualStrict, .everywhereStrict], flags: [""],
            reason: "binutils takes <artificial> for the file of a line of two units"),
        Row(
            tool: "addr2line", object: "Stripped/out/shapes-symbols-only", modes: [.usual], flags: ["-f"],
            reason: "a destructor has two symbols at one address; binutils takes the other one"),
        Row(
            tool: "addr2line", object: "Stripped/out/shapes-linked", modes: [.everywhereStrict], flags: ["-f"],
            reason: "binutils calls an inlined function that has no linker's name by the symbol around it"),
        Row(
            tool: "addr2line", object: "Relocatable/out/gauge-function-sections.o", modes: [.usual], flags: [""],
            reason: "an address that several sections hold is ambiguous; binutils takes the first of them"),
        Row(
            tool: "addr2line", object: "Functions/out/cold", modes: [.usual], flags: ["-f"],
            reason: "a part that gcc split off is called as its symbol is (check.cold); binutils calls it as the whole"),
        Row(
            tool: "addr2line", object: "SwiftCrash/out/SwiftCrash", modes: [.usual], flags: [""],
            reason: "no file where only a symbol has one; a path below / has one slash; Swift names are demangled"),
        Row(
            tool: "addr2line", object: "SwiftCrash/out/SwiftCrash", modes: [.usualStrict], flags: ["!-s"],
            reason: "a path below / has one slash"),
        Row(
            tool: "addr2line", object: "SwiftCrash/out/SwiftCrash", modes: [.everywhereStrict], flags: ["!-s", "-f"],
            reason: "a path below / has one slash; binutils misses two inlined calls"),
        Row(
            tool: "eu-addr2line", object: "C/out/c-gcc-dwarf5-O2", modes: [.usual], flags: ["-f"],
            reason: "a part that gcc split off is called as its symbol is (check.isra.0.cold)"),
        Row(
            tool: "eu-addr2line", object: "C/out/c-clang-aranges", modes: [.everywhereStrict], flags: ["-x"],
            reason: "of sections that share an address elfutils names another one"),
        Row(
            tool: "eu-addr2line", object: "CXX/out/cxx-gcc-dwarf4-O0", modes: [.usual], flags: ["-f", "-C -S", "-C -x"],
            reason:
                "a function is called as its symbol is (_ZL5riskyi), elfutils' name for it is risky; lambdas are spelled as LLVM spells them"
        ),
        Row(
            tool: "eu-addr2line", object: "CXX/out/cxx-gcc-dwarf4-O0", modes: [.usualStrict], flags: ["-f"],
            reason: "a function is called as its symbol is, elfutils' name for it is the source's"),
        Row(
            tool: "eu-addr2line", object: "CXX/out/cxx-gcc-dwarf4-O0", modes: [.everywhereStrict], flags: ["-f", "-i"],
            reason: "a function is called as its symbol is; elfutils misses an inlined call"),
        Row(
            tool: "eu-addr2line", object: "CXX/out/cxx-gcc-dwarf5-O2", modes: [.usual, .usualStrict, .everywhereStrict], flags: [""],
            reason: "elfutils gives the last line of a unit to what comes after it"),
        Row(
            tool: "eu-addr2line", object: "Stripped/out/shapes-linked", modes: [.everywhereStrict], flags: [""],
            reason: "elfutils gives the last line of a unit to what comes after it"),
        Row(
            tool: "eu-addr2line", object: "Relocatable/out/gauge-gcc.o", modes: [.everywhereStrict], flags: ["-S", "-x"],
            reason: "elfutils names an empty section at the end of another"),
        Row(
            tool: "eu-addr2line", object: "SharedLibrary/out/libqueue.so.1", modes: [.everywhereStrict], flags: ["-f -S", "-f -x"],
            reason: "elfutils has no function for the labels of an assembly file"),
        Row(
            tool: "eu-addr2line", object: "Functions/out/cold", modes: [.usual], flags: ["-f"],
            reason: "a part that gcc split off is called as its symbol is (check.cold)"),
    ]
}
