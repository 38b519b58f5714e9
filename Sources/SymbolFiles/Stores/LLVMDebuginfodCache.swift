package import BinaryPrimitives

/// The files that LLVM's tools have fetched from debuginfod servers: `llvmcache-` and a hash of the
/// server's path, in one folder (`llvm/lib/Debuginfod/Debuginfod.cpp`).
package struct LLVMDebuginfodCache: FixedLayoutLocator {
    package let folder: String

    package init(folder: String) { self.folder = folder }

    /// The cache folder of LLVM's tools: `DEBUGINFOD_CACHE_PATH`, or `llvm-debuginfod/client` in
    /// the user's cache folder; `nil` if neither is given.
    package static func standard() -> LLVMDebuginfodCache? {
        if let path = environmentVariable("DEBUGINFOD_CACHE_PATH"), !path.isEmpty { return LLVMDebuginfodCache(folder: path) }
        let caches = environmentVariable("XDG_CACHE_HOME") ?? environmentVariable("HOME").map { Path.join($0, ".cache") }
        return caches.map { LLVMDebuginfodCache(folder: Path.join($0, "llvm-debuginfod/client")) }
    }

    /// The standard cache, if `DEBUGINFOD_URLS` names a server: LLVM's tools use it on their own
    /// only then.
    package static func inUse() -> LLVMDebuginfodCache? {
        environmentVariable("DEBUGINFOD_URLS").map { !$0.isEmpty } ?? false ? standard() : nil
    }

    package var location: String { "what LLVM's tools have fetched in \(folder)" }
    var origin: SymbolFileCandidate.Origin { .store("llvm-debuginfod", root: folder) }

    package func expectedPaths(for request: ImageRequest) -> [String] { request.id.map(expectedPaths(for:)) ?? [] }

    /// Paths of the debug file with a build ID, and of its executable.
    package func expectedPaths(for id: ImageID) -> [String] {
        ["debuginfo", "executable"].map { kind in
            Path.join(folder, "llvmcache-\(XXH3.hash(Array("buildid/\(id.hexadecimal)/\(kind)".utf8)))")
        }
    }
}

/// XXH3 with 64 bits, for 17 to 128 bytes (Yann Collet's specification of xxHash, section "XXH3
/// Algorithm", small inputs): LLVM's cache names its files by this hash.
enum XXH3 {
    /// The first bytes of the specification's default secret.
    private static let secret: [UInt64] = [
        0xbe4b_a423_396c_feb8, 0x1cad_21f7_2c81_017c, 0xdb97_9083_e96d_d4de, 0x1f67_b3b7_a4a4_4072, 0x78e5_c0cc_4ee6_79cb,
        0x2172_ffcc_7dd0_5a82, 0x8e24_43f7_7446_08b8, 0x4c26_3a81_e690_35e0, 0xcb00_c391_bb52_283c, 0x71a3_2e53_8b65_d088,
        0x384e_f90d_a297_4864, 0xa8d8_acde_a946_ef19, 0xf93f_349c_e33f_76fa, 0x8a1d_4f0b_c7c7_bbdc, 0xc831_59b4_cd4b_e051,
        0xea64_7378_d9c9_7e9f,
    ]

    /// - Parameter bytes: 17 to 128 bytes; for other counts the hash is zero, which no file has.
    static func hash(_ bytes: [UInt8]) -> UInt64 {
        let count = bytes.count
        guard (17...128).contains(count) else { return 0 }
        var sum = UInt64(count) &* 0x9e37_79b1_85eb_ca87
        // From both ends to the middle, sixteen bytes each.
        for step in 0...(count - 1) / 32 {
            sum &+= mix(bytes, at: step * 16, step * 4)
            sum &+= mix(bytes, at: count - 16 - step * 16, step * 4 + 2)
        }
        sum ^= sum >> 37
        sum &*= 0x1656_6791_9e37_79f9
        return sum ^ sum >> 32
    }

    private static func mix(_ bytes: [UInt8], at position: Int, _ secretIndex: Int) -> UInt64 {
        let low = word(bytes, at: position) ^ secret[secretIndex]
        let high = word(bytes, at: position + 8) ^ secret[secretIndex + 1]
        let product = low.multipliedFullWidth(by: high)
        return product.low ^ product.high
    }

    private static func word(_ bytes: [UInt8], at position: Int) -> UInt64 {
        bytes[position..<position + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
