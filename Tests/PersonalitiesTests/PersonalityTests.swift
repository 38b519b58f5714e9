import Testing

@testable import Personalities

/// Finding the tool by the name of a program, as Debian, LLVM's packages and cross compilers name them.
struct PersonalityTests {
    @Test(
        arguments: [
            "atos", "/usr/local/bin/atos", "addr2line", "aarch64-linux-gnu-addr2line", "x86_64-w64-mingw32-addr2line", "llvm-symbolizer",
            "llvm-symbolizer-19", "/usr/lib/llvm-19/bin/llvm-symbolizer", "llvm-addr2line", "llvm-addr2line-19.1", "dwarfdump",
            "llvm-dwarfdump-19", "eu-addr2line", "/usr/bin/eu-addr2line-0.188", "x86_64-linux-gnu-addr2line-2.40",
        ])
    func `is told by the name that the program was called by`(path: String) {
        #expect(Personality(program: path) != nil)
    }

    @Test(arguments: [
        "cairn", "", "/", "addr2line-gui", "symbolizer", "llvm-symbolizer-", "-addr2line", "my-llvm-addr2line", "cairn-dwarfdump",
        "llvm-symbolizer-.",
    ])
    func `is none for other names`(path: String) {
        #expect(Personality(program: path) == nil)
    }
}
