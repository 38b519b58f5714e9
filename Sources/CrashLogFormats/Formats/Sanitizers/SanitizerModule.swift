internal import BinaryPrimitives
internal import CrashLogModel

/// The module of a sanitizer's row, as `RenderModuleLocation` of `sanitizer_stacktrace_printer.cpp`
/// writes it, and the build ID after it:
///
///     (/usr/lib/libc.so.6+0x27249) (BuildId: 93ac61ec5a8eb1396f9fbd350e3169a558528a40)
///     (a.out:x86_64+0x100003158)             Apple's modules come with their architecture
///     (C:\windows\SYSTEM32\ntdll.dll+0x5ab8e)
///     (race+0x1233)                          ThreadSanitizer leaves the folder out
///     (<unknown module>)                     an address in none
///     <libc.so>+0x964de                      Fuchsia's `symbolize`
struct SanitizerModule {
    /// As the row has it; a path where that has a folder.
    var path: String
    var architecture: Architecture?
    var offset: UInt64
    var id: ImageID?
    /// Offset of the module in the text: of its parenthesis or angle bracket.
    var start: Int

    /// Reads the module that `text` ends with.
    init?(endOf text: Span<UInt8>) {
        var rest = text
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " (BuildId: ") {
            id = ImageID(text: rest.clamped(to: open.upperBound..<rest.count - 1).text)
            rest = rest.upTo(open.lowerBound)
        }
        guard let plus = rest.lastRange(of: "+0x") else { return nil }
        var digits = rest.from(plus.upperBound)
        guard let offset = digits.readHexadecimal() else { return nil }
        self.offset = offset
        var inside: Span<UInt8>
        if digits.equals(")") {
            guard let open = SanitizerModule.parenthesis(in: rest.upTo(plus.lowerBound)) else { return nil }
            start = open
            inside = rest.clamped(to: open + 1..<plus.lowerBound)
        } else {
            guard digits.count == 0, rest.at(plus.lowerBound - 1) == UInt8(ascii: ">"),
                let open = rest.lastIndex(of: UInt8(ascii: "<"), before: plus.lowerBound)
            else { return nil }
            start = open
            inside = rest.clamped(to: open + 1..<plus.lowerBound - 1)
        }
        if let colon = inside.lastIndex(of: UInt8(ascii: ":")), let name = SanitizerModule.architecture(inside.from(colon + 1)) {
            architecture = name
            inside = inside.upTo(colon)
        }
        guard inside.count > 0 else { return nil }
        path = inside.text
    }

    /// Offset of the module's opening parenthesis. A function's parameters and a folder's name may
    /// contain parentheses too (`f(int (*)(char)) (/opt/a (2)/b+0x1)`), but only a module begins
    /// with a slash or a drive after one.
    private static func parenthesis(in text: Span<UInt8>) -> Int? {
        if text.at(0) == UInt8(ascii: "(") { return 0 }
        if let slash = text.firstRange(of: " (/") { return slash.lowerBound + 1 }
        if let backslash = text.firstRange(of: ":\\"), backslash.lowerBound >= 2, text.at(backslash.lowerBound - 2) == UInt8(ascii: "(") {
            return backslash.lowerBound - 2
        }
        return text.lastRange(of: " (").map { $0.lowerBound + 1 }
    }

    /// `ModuleArchToString` of `sanitizer_common.h`.
    private static func architecture(_ text: Span<UInt8>) -> Architecture? {
        let names = [
            "x86_64", "x86_64h", "arm64", "arm64e", "i386", "armv6", "armv7", "armv7s", "armv7k", "riscv64", "hexagon", "loongarch64",
        ]
        return names.first { text.equals($0) }.map { Architecture($0) }
    }

    /// Location in the module, by the base that the offset counts from.
    ///
    /// The runtime subtracts the module's `base_address`, which is, by operating system:
    /// - ELF (`dl_iterate_phdr_cb` of `sanitizer_linux_libcdep.cpp`): `dlpi_addr`, so that the
    ///   offset is the address as linked, `0x401136` in a program that is not position-independent.
    /// - Mach-O (`MemoryMappingLayout::DumpListOfModules` of `sanitizer_procmaps_mac.cpp`): the
    ///   start of the first segment. Of a program that is `__PAGEZERO`, linked at 0:
    ///   `(a.out:x86_64+0x100003158)` is the address as linked. Of a library it is `__TEXT`, linked
    ///   at 0 or, in the shared cache, elsewhere: bytes from the image's first. A 64-bit program's
    ///   `__PAGEZERO` has 4 GB, which distinguishes the two. Of 32-bit ones only libraries outside
    ///   the cache and programs are looked up, both by linked address.
    /// - Windows (`ListOfModules::init` of `sanitizer_win.cpp`): where the module was loaded, less the address that it was linked at, so
    ///   that the offset is the address as linked: `0x140001553`. Before LLVM 3.7, and where the runtime cannot read the module's
    ///   header, it counts from the first byte. No program is linked below 4 MB.
    /// - Fuchsia's `symbolize` counts from the module's first byte.
    /// - Emscripten: the engine's position in the file (`emscripten_return_address` reads it from a row of `Error.stack`).
    var imageLocation: ImageLocation? {
        // `(/usr/lib/dyld:x86_64+0xfffffffffff5c365)`: dyld of newer systems, whose base the
        // runtime does not find.
        guard offset >> 63 == 0 else { return nil }
        if isWebAssembly { return .fileOffset(offset) }
        let isWindows =
            path.utf8.contains(UInt8(ascii: "\\")) || path.hasSuffix(".exe") || path.hasSuffix(".dll") || path.hasSuffix(".EXE")
            || path.hasSuffix(".DLL")
        if isWindows { return offset < 0x40_0000 ? .offset(ImageOffset(offset)) : .linkAddress(LinkAddress(offset)) }
        let isMachO = isApples
        if isMachO, offset >> 32 == 0, architecture?.name != "i386", architecture?.hasThumbBit != true {
            return .offset(ImageOffset(offset))
        }
        return .linkAddress(LinkAddress(offset))
    }

    var isWebAssembly: Bool { path.hasSuffix(".wasm") }

    /// Runtimes before clang 5 wrote no architecture.
    var isApples: Bool {
        architecture != nil || path.hasSuffix(".dylib") || path.contains(".framework/") || path.contains(".app/Contents/")
    }
}
