/// Libraries of a system for shared caches, one with methods of Objective-C and one that is called libobjc.
package struct ObjCLibraries {
    package static let paths = ["/System/Library/Frameworks/Harbour.framework/Harbour", "/usr/lib/libobjc.A.dylib"]

    package let files: [[UInt8]]
    /// Methods of the first: names and addresses in the file, by llvm-nm.
    package let methods: [(name: String, address: UInt64)]
    /// Its other functions.
    package let functions: [(name: String, address: UInt64)]
    /// Addresses of the first's pointers, by llvm-objdump.
    package let pointers: [UInt64]

    private static let harbour = """
        __attribute__((noinline)) static int lost_at_sea(int n) { volatile int x = n; return x; }
        __attribute__((objc_root_class)) @interface Harbour
        + (int)open:(int)n;
        - (int)row:(int)n with:(int)m;
        @end
        @implementation Harbour
        + (int)open:(int)n { volatile int x = n; return lost_at_sea(x) + 1; }
        - (int)row:(int)n with:(int)m { volatile int x = n; return x + m; }
        @end
        @interface Harbour (Tide)
        - (int)ebb;
        + (int)flood;
        @end
        @implementation Harbour (Tide)
        - (int)ebb { volatile int x = 3; return x; }
        + (int)flood { volatile int x = 4; return x; }
        @end

        """
    /// `objc_opt_t` of version 16: from its own address and 0x40 bytes on, selectors are counted.
    private static let libobjc = """
        __attribute__((section("__TEXT,__objc_opt_ro"), used)) static const struct { int version, flags, offsets[8]; long long base; } options = { 16, 0, {}, 0x40 };
        int objc_retain(int n) { return n; }

        """

    /// - Parameters:
    ///   - architecture: `arm64`, `x86_64` or `arm64_32`: LLVM's linker refuses signed pointers in data (`arm64e`).
    ///   - isRelative: lists of methods have distances; of `arm64` alone: that linker crashes with others.
    package init(architecture: String, isRelative: Bool) throws {
        let systems = ["arm64": ("ios", "16.0"), "arm64_32": ("watchos", "7.0")]
        let (system, version) = systems[architecture] ?? ("macos", "14.0")
        (files, methods, functions, pointers) = try withTemporaryFolder { folder in
            var files: [[UInt8]] = []
            for (name, text) in [("harbour.m", Self.harbour), ("libobjc.c", Self.libobjc)] {
                try writeFile("\(folder)/\(name)", Array(text.utf8))
                let (object, library) = ("\(folder)/\(name).o", "\(folder)/\(name).dylib")
                try Toolchain.run(
                    "clang", ["-target", "\(architecture)-apple-\(system)\(version)", "-O1", "-c", "\(folder)/\(name)", "-o", object]
                ).requireSuccess()
                try run(
                    "ld64.lld-19",
                    [
                        "-dylib", "-arch", architecture, "-platform_version", system, version, version, "-undefined", "dynamic_lookup",
                        "-no_fixup_chains", "-no_objc_category_merging",
                        isRelative ? "-objc_relative_method_lists" : "-no_objc_relative_method_lists",
                        "-install_name", Self.paths[files.count], object, "-o", library,
                    ]
                ).requireSuccess()
                files.append(try readFile(library))
            }
            let library = "\(folder)/harbour.m.dylib"
            let symbols = try run("llvm-nm-19", [library]).requireSuccess().lines.compactMap { line -> (name: String, address: UInt64)? in
                let fields = line.split(separator: " ", maxSplits: 2)
                guard fields.count == 3, fields[1] == "t", let address = UInt64(fields[0], radix: 16) else { return nil }
                return (String(fields[2]), address)
            }
            // "__DATA   __objc_data        0x00008000  pointer"
            let table = try run("llvm-objdump-19", ["--macho", "--rebase", library]).requireSuccess().lines
            let pointers = table.compactMap { line -> UInt64? in
                let fields = line.split(separator: " ")
                return fields.count == 4 && fields[2].hasPrefix("0x") ? UInt64(fields[2].dropFirst(2), radix: 16) : nil
            }
            let isMethod = { (symbol: (name: String, address: UInt64)) in symbol.name.hasSuffix("]") }
            return (files, symbols.filter(isMethod), symbols.filter { !isMethod($0) }, pointers)
        }
    }

    /// A cache of them without names of local functions.
    package func cache(_ version: SharedCacheBuilder.Version, _ architecture: String) -> SharedCacheBuilder {
        var builder = SharedCacheBuilder()
        builder.version = version
        builder.architecture = architecture
        builder.libraries = zip(Self.paths, files).map { ($0, $1) }
        builder.pointers = [Self.paths[0]: pointers]
        builder.hasLocals = false
        builder.redacts = true
        if architecture == "arm64_32" { builder.base = 0x1a00_0000 }
        return builder
    }
}
