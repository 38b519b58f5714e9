/// Two libraries of a system that a test makes, for shared caches: a C library with a local function that its exported ones call,
/// and one of C++. They are compiled by the toolchain's clang and linked by LLVM's linker for Mach-O.
package struct SharedCacheLibraries {
    package static let isPossible = Toolchain.has("clang") && Installed.has("ld64.lld-19", "llvm-nm-19")
    package static let absence: String = "clang beside swift, ld64.lld-19 or llvm-nm-19 (packages lld-19, llvm-19) is missing"

    package static let paths = ["/usr/lib/system/libtide.dylib", "/System/Library/Frameworks/Harbour.framework/Harbour"]

    /// The linked files, in the order of `paths`.
    package let files: [[UInt8]]
    /// Functions of each, by llvm-nm: names, addresses in the file, and whether they are local.
    package let symbols: [[(name: String, address: UInt64, isLocal: Bool)]]
    /// UUIDs with dashes, as llvm-objdump prints them.
    package let ids: [String]

    private static let sources = [
        (
            "tide.c",
            """
            __attribute__((noinline)) static int depth_of(int n) { volatile int x = n; return x + 1; }
            int tide_open(int n) { return depth_of(n) + 1; }
            int tide_close(int n) { return depth_of(n) - 1; }
            """
        ),
        (
            "harbour.cc",
            """
            namespace harbour {
            struct Boat { int sail(int); __attribute__((noinline)) int row(int); };
            int Boat::row(int n) { volatile int x = n; return x; }
            int Boat::sail(int n) { return row(n) + 1; }
            __attribute__((noinline)) static int lost_at_sea(int n) { volatile int y = n; return y; }
            int use(int n) { return lost_at_sea(n) + 2; }
            }
            """
        ),
    ]

    /// - Parameter architecture: `arm64e`, `arm64`, `x86_64` or `arm64_32`, which the linker knows; or `armv7`, which it does not: that is a
    ///   library for `arm64_32`, whose layout is the same, under the other name.
    package init(architecture name: String) throws {
        let architecture = name == "armv7" ? "arm64_32" : name
        let systems = ["arm64": ("ios", "16.0"), "arm64_32": ("watchos", "7.0")]
        let (system, version) = systems[architecture] ?? ("macos", "14.0")
        let made = try withTemporaryFolder { folder in
            try Self.sources.enumerated().map { index, source in
                try writeFile("\(folder)/\(source.0)", Array(source.1.utf8))
                let (object, library) = ("\(folder)/\(index).o", "\(folder)/\(index).dylib")
                try Toolchain.run(
                    "clang", ["-target", "\(architecture)-apple-\(system)\(version)", "-O1", "-c", "\(folder)/\(source.0)", "-o", object]
                ).requireSuccess()
                try run(
                    "ld64.lld-19",
                    [
                        "-dylib", "-arch", architecture, "-platform_version", system, version, version, "-undefined", "dynamic_lookup",
                        "-install_name", Self.paths[index], object, "-o", library,
                    ]
                ).requireSuccess()
                let names = try run("llvm-nm-19", [library]).requireSuccess().lines.compactMap { line -> (String, UInt64, Bool)? in
                    let fields = line.split(separator: " ")
                    guard fields.count == 3, "tT".contains(fields[1]), let address = UInt64(fields[0], radix: 16) else { return nil }
                    return (String(fields[2]), address, fields[1] == "t")
                }
                let headers = try run("llvm-objdump-19", ["--macho", "--private-headers", library]).requireSuccess().lines
                let id = headers.first { $0.contains(" uuid ") }?.split(separator: " ").last.map(String.init) ?? ""
                return (file: try readFile(library), names: names, id: id)
            }
        }
        // CPU_TYPE_ARM and CPU_SUBTYPE_ARM_V7 (<mach/machine.h>), in the header's second and third field.
        files = made.map { name == "armv7" ? $0.file[..<4] + [12, 0, 0, 0, 9, 0, 0, 0] + $0.file[12...] : $0.file[...] }.map(Array.init)
        symbols = made.map { $0.names.map { (name: $0.0, address: $0.1, isLocal: $0.2) } }
        ids = made.map(\.id)
    }

    /// Address in its file of the function with that name.
    package func address(of name: String) -> UInt64 { symbols.joined().first { $0.name == name }?.address ?? 0 }

    /// A cache of the libraries.
    package func cache(_ version: SharedCacheBuilder.Version, _ architecture: String) -> SharedCacheBuilder {
        var builder = SharedCacheBuilder()
        builder.version = version
        builder.architecture = architecture
        builder.libraries = zip(Self.paths, files).map { ($0, $1) }
        return builder
    }
}

extension SharedCacheBuilder {
    /// Writes the cache's files.
    /// - Returns: the path of the main file.
    @discardableResult package func write(in folder: String) throws -> String {
        let main = "\(folder)/dyld_shared_cache_\(architecture)"
        for file in files() { try writeFile(main + file.suffix, file.bytes) }
        return main
    }
}
