internal import CrashLogModel

/// Values with which allocators and kernels fill memory that is not in use, so that a pointer read
/// from there is recognisable.
struct FillPattern: Sendable {
    enum Writer: Sendable {
        /// Programs on Apple's systems.
        case apple
        /// Programs on Linux, Android and the BSDs.
        case unix
        /// Programs on Windows.
        case windows
        /// Firefox, on every system.
        case everywhere
        case linuxKernel
        case appleKernel
        case bsdKernel
    }
    /// The bytes, repeated; or one 32-bit word, repeated.
    var word: UInt32
    var writer: Writer
    var meaning: Meaning

    init(byte: UInt32, _ writer: Writer, _ text: String, source: String) {
        self.init(word: byte * 0x0101_0101, writer, text, source: source)
    }

    init(word: UInt32, _ writer: Writer, _ text: String, source: String) {
        self.word = word
        self.writer = writer
        meaning = Meaning(text, source: source)
    }

    static let all = [
        FillPattern(
            byte: 0x55, .apple, "The address consists of the byte 0x55, with which MallocScribble overwrites freed memory.",
            source: "malloc(3) of macOS, MallocScribble"),
        FillPattern(
            byte: 0xAA, .apple, "The address consists of the byte 0xaa, with which MallocPreScribble fills new memory.",
            source: "malloc(3) of macOS, MallocPreScribble"),
        FillPattern(
            byte: 0x5A, .unix,
            "The address consists of the byte 0x5a, with which jemalloc overwrites freed memory when junk filling is on.",
            source: "jemalloc(3), opt.junk"),
        FillPattern(
            byte: 0xA5, .unix, "The address consists of the byte 0xa5, with which jemalloc fills new memory when junk filling is on.",
            source: "jemalloc(3), opt.junk"),
        FillPattern(
            byte: 0xE5, .everywhere, "The address consists of the byte 0xe5, with which Firefox's allocator overwrites freed memory.",
            source: "Firefox, memory/build/mozjemalloc.h, kAllocPoison"),
        FillPattern(
            byte: 0xE4, .everywhere, "The address consists of the byte 0xe4, with which Firefox's allocator fills new memory.",
            source: "Firefox, memory/build/mozjemalloc.h, kAllocJunk"),
        FillPattern(
            byte: 0xDD, .windows,
            "The address consists of the byte 0xdd, with which the debug heap of Microsoft's C library overwrites freed memory.",
            source: "Microsoft, CRT debug heap details"),
        FillPattern(
            byte: 0xCD, .windows,
            "The address consists of the byte 0xcd, with which the debug heap of Microsoft's C library fills new memory.",
            source: "Microsoft, CRT debug heap details"),
        FillPattern(
            byte: 0xFD, .windows, "The address consists of the byte 0xfd, the guard of Microsoft's debug heap around allocated memory.",
            source: "Microsoft, CRT debug heap details"),
        FillPattern(
            byte: 0x6B, .linuxKernel, "The address consists of the byte 0x6b, with which the slab allocator overwrites freed objects.",
            source: "Linux, include/linux/poison.h, POISON_FREE"),
        FillPattern(
            byte: 0x5A, .linuxKernel, "The address consists of the byte 0x5a, with which the slab allocator fills new objects.",
            source: "Linux, include/linux/poison.h, POISON_INUSE"),
        FillPattern(
            byte: 0xAA, .linuxKernel, "The address consists of the byte 0xaa, with which the page allocator overwrites freed pages.",
            source: "Linux, include/linux/poison.h, PAGE_POISON"),
        FillPattern(
            byte: 0xCC, .linuxKernel, "The address consists of the byte 0xcc, with which the kernel overwrites freed init memory.",
            source: "Linux, include/linux/poison.h, POISON_FREE_INITMEM"),
        FillPattern(
            word: 0xDEAD_BEEF, .appleKernel, "The address is 0xdeadbeef, with which the zone allocator overwrites freed elements.",
            source: "XNU, osfmk/kern/zalloc.c, ZP_POISON"),
        FillPattern(
            word: 0xDEAD_C0DE, .bsdKernel, "The address is 0xdeadc0de, with which FreeBSD's allocator overwrites freed memory.",
            source: "FreeBSD, sys/vm/uma_dbg.c, uma_junk"),
        FillPattern(
            word: 0xDEAD_BEEF, .bsdKernel, "The address is 0xdeadbeef, with which OpenBSD's kernel overwrites freed memory.",
            source: "OpenBSD, sys/kern/subr_poison.c, POISON0"),
    ]

    /// Whether the address is the pattern, or a field of an object there, in 32 or 64 bits.
    /// Processors with tags in a pointer's top byte report it without (arm64).
    func matches(_ address: UInt64) -> Bool {
        let whole = UInt64(word) << 32 | UInt64(word)
        for pattern in [UInt64(word), whole, whole & 0x00FF_FFFF_FFFF_FFFF] {
            let low = pattern >= FillPattern.field ? pattern - FillPattern.field : 0
            if address >= low, address - low < 2 * FillPattern.field { return true }
        }
        return false
    }

    /// How large an offset from the pattern a field may have.
    private static let field: UInt64 = 0x400
}
