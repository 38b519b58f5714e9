internal import BinaryPrimitives

/// An architecture as people type it: cairn's name of it, or the one that `uname -m` and compilers
/// have.
enum TypedArchitecture {
    static let names = known.keys.sorted()

    /// - Returns: `nil` if no architecture has that name.
    static func read(_ text: String) -> Architecture? { known[text.lowercased()] }

    private static let known: [String: Architecture] = {
        var known: [String: Architecture] = [
            "aarch64": .arm64, "amd64": .x86_64, "x86-64": .x86_64, "x64": .x86_64, "x86": .i386, "i486": .i386, "i586": .i386,
            "i686": .i386,
        ]
        for one in [
            Architecture.i386, .x86_64, .x86_64h, .armv6, .armv7, .armv7s, .armv7k, .arm, .arm64, .arm64e, .arm64_32, .ppc, .ppc64,
            .riscv32,
            .riscv64, .s390x, .mips, .mips64, .loongarch64,
        ] { known[one.name] = one }
        return known
    }()
}
