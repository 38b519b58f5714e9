/// A processor architecture, by the name that Apple's and LLVM's tools use for it.
///
/// Each format maps its own spelling to these (`ARM-64` of an `.ips`, `EM_AARCH64` of ELF, `CPU_TYPE_ARM64` of Mach-O).
/// A name that is not listed is kept as it is.
public struct Architecture: Hashable, Sendable, CustomStringConvertible {
    /// The name as Apple's tools and LLVM write it: `arm64`, `x86_64`.
    public let name: String
    /// - Parameter name: the name as Apple's tools and LLVM write it.
    public init(_ name: String) { self.name = name }

    public static let i386 = Architecture("i386")
    public static let x86_64 = Architecture("x86_64")
    public static let x86_64h = Architecture("x86_64h")
    public static let armv6 = Architecture("armv6")
    public static let armv7 = Architecture("armv7")
    public static let armv7s = Architecture("armv7s")
    public static let armv7k = Architecture("armv7k")
    /// 32-bit ARM of ELF, where the file does not say which version.
    public static let arm = Architecture("arm")
    public static let arm64 = Architecture("arm64")
    public static let arm64e = Architecture("arm64e")
    public static let arm64_32 = Architecture("arm64_32")
    public static let ppc = Architecture("ppc")
    public static let ppc64 = Architecture("ppc64")
    public static let riscv32 = Architecture("riscv32")
    public static let riscv64 = Architecture("riscv64")
    public static let s390x = Architecture("s390x")
    public static let mips = Architecture("mips")
    public static let mips64 = Architecture("mips64")
    public static let loongarch64 = Architecture("loongarch64")

    public var description: String { name }

    /// The group of architectures whose code one processor runs: `arm64` and `arm64e`, `x86_64` and `x86_64h`, the 32-bit ARMs.
    public var family: String {
        switch self {
        case .arm64e: "arm64"
        case .x86_64h: "x86_64"
        case .armv6, .armv7, .armv7s, .armv7k, .arm: "arm"
        default: name
        }
    }

    /// 32-bit ARM, where the lowest bit of a code address says Thumb and is not part of the address.
    public var hasThumbBit: Bool { family == "arm" }
}
