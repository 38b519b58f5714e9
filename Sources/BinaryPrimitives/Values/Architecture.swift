/// A processor architecture, by the name that Apple's and LLVM's tools use for it.
///
/// Each format maps its own spelling to these (`ARM-64` of an `.ips`, `EM_AARCH64` of ELF,
/// `CPU_TYPE_ARM64` of Mach-O). A name that is not listed is kept as it is.
public struct Architecture: Hashable, Sendable, CustomStringConvertible {
    /// The name as Apple's tools and LLVM write it: `arm64`, `x86_64`.
    public let name: String
    /// - Parameter name: the name as Apple's tools and LLVM write it.
    public init(_ name: String) { self.name = name }

    package static let i386 = Architecture("i386")
    package static let x86_64 = Architecture("x86_64")
    package static let x86_64h = Architecture("x86_64h")
    package static let armv6 = Architecture("armv6")
    package static let armv7 = Architecture("armv7")
    package static let armv7s = Architecture("armv7s")
    package static let armv7k = Architecture("armv7k")
    /// 32-bit ARM of ELF, where the file does not say which version.
    package static let arm = Architecture("arm")
    package static let arm64 = Architecture("arm64")
    package static let arm64e = Architecture("arm64e")
    package static let arm64_32 = Architecture("arm64_32")
    package static let ppc = Architecture("ppc")
    package static let ppc64 = Architecture("ppc64")
    package static let riscv32 = Architecture("riscv32")
    package static let riscv64 = Architecture("riscv64")
    package static let s390x = Architecture("s390x")
    package static let mips = Architecture("mips")
    package static let mips64 = Architecture("mips64")
    package static let loongarch64 = Architecture("loongarch64")
    package static let wasm32 = Architecture("wasm32")

    public var description: String { name }

    /// The group of architectures whose code one processor runs: `arm64` and `arm64e`, `x86_64` and
    /// `x86_64h`, the 32-bit ARMs.
    package var family: String {
        switch self {
        case .arm64e: "arm64"
        case .x86_64h: "x86_64"
        case .armv6, .armv7, .armv7s, .armv7k, .arm: "arm"
        default: name
        }
    }

    /// 32-bit ARM, where the lowest bit of a code address says Thumb and is not part of the
    /// address.
    package var hasThumbBit: Bool { family == "arm" }
}
