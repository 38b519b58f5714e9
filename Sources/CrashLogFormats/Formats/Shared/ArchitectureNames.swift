internal import BinaryPrimitives

extension Architecture {
    /// The architecture by its name in a log: the processor's, the ABI's, or the system's own (`NXGetLocalArchInfo`, OpenJDK's, Dart's).
    /// One name means the same whoever writes it.
    init(writtenName name: String) { self = Architecture.writtenNames[name] ?? Architecture(name) }

    private static let writtenNames: [String: Architecture] = [
        "X86": .i386, "x86": .i386, "x86_32": .i386, "i486": .i386, "i686": .i386, "ia32": .i386,
        "X86-64": .x86_64, "x86-64": .x86_64, "amd64": .x86_64, "x64": .x86_64,
        "ARM": .arm, "armv7f": .armv7, "ARM-64": .arm64, "ARM64": .arm64, "arm64v8": .arm64, "aarch64": .arm64,
        "PPC": .ppc, "PPC-64": .ppc64, "ppc64": .ppc64, "ppc64le": .ppc64, "riscv": .riscv64, "sparc64": Architecture("sparcv9"),
    ]
}
