import TestSupport
import Testing

/// `cairn addr2line` and `cairn eu-addr2line` beside the originals, with combinations of the flags
/// that change what is printed: a sample in the default run, all of them with
/// `scripts/checks/all-repeats`.
struct FlagCombinationTests {
    private static let objects: [String: [String]] = [
        "addr2line": [
            "C/out/c-gcc-dwarf4-O0", "C/out/c-gcc-dwarf2-O1", "C/out/c-gcc-dwarf5-O2", "C/out/c-gcc-gc-sections", "C/out/c-clang-dwarf4-O0",
            "C/out/c-clang-dwarf5-O2", "CXX/out/cxx-clang-dwarf4-O2", "CXX/out/cxx-gcc-dwarf4-O0", "CXX/out/cxx-gcc-lto",
            "Stripped/out/shapes-stripped", "Stripped/out/shapes-symbols-only", "Stripped/out/shapes-linked", "Relocatable/out/gauge-gcc.o",
            "Relocatable/out/gauge-function-sections.o", "SharedLibrary/out/libqueue.so.1", "Functions/out/cold",
            "Freestanding/out/machine-i386", "Freestanding/out/machine-aarch64", "SwiftCrash/out/SwiftCrash",
        ],
        "eu-addr2line": [
            "C/out/c-gcc-dwarf4-O0", "C/out/c-gcc-dwarf5-O2", "C/out/c-clang-aranges", "CXX/out/cxx-gcc-dwarf4-O0",
            "CXX/out/cxx-gcc-dwarf5-O2", "Stripped/out/shapes-stripped", "Stripped/out/shapes-linked", "Relocatable/out/gauge-gcc.o",
            "SharedLibrary/out/libqueue.so.1", "Functions/out/cold",
        ],
    ]

    @Test(
        .enabled(if: FlagCombination.hasOriginal("addr2line"), "addr2line 2.40 (package binutils) is not installed"),
        arguments: objects["addr2line"] ?? [])
    func `addr2line prints what GNU prints, but for the listed differences`(object: String) throws { try compare("addr2line", object) }

    @Test(
        .enabled(if: FlagCombination.hasOriginal("eu-addr2line"), "eu-addr2line 0.188 (package elfutils) is not installed"),
        arguments: objects["eu-addr2line"] ?? [])
    func `eu-addr2line prints what elfutils prints, but for the listed differences`(object: String) throws {
        try compare("eu-addr2line", object)
    }

    /// The first of the sample runs by the built program, too.
    private func compare(_ tool: String, _ object: String) throws {
        let combinations = Repeats.sample(2, of: FlagCombination.all(of: tool, object), for: tool + object)
        let addresses = try LookedUpAddresses(of: TestPaths.fixture("binaries/" + object))
        for (index, combination) in combinations.enumerated() {
            let texts = addresses.texts(combination.mode)
            let (found, expected) = (try combination.cairn(texts), try combination.original(texts))
            let difference = firstDifference(found, from: expected)
            let reason = FlagDifferences.reason(combination)
            let name = "\(tool) \(combination.flags.joined(separator: " ")) -e \(object) (\(combination.mode.rawValue)), \(Repeats.hint)"
            if let difference {
                #expect(reason != nil, "\(name): \(difference)")
            } else {
                #expect(reason == nil, "\(name): is listed in FlagDifferences, and agrees")
            }
            if index == 0 { #expect(firstDifference(try combination.builtCairn(texts), from: found) == nil, "\(name)") }
        }
    }
}
