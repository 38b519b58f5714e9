internal import CrashLogModel

/// What C libraries and the macros of large programs say when they end a program.
enum CLibraryMeanings {
    static func glibc(_ cause: CrashCause) -> Meaning? { heap.meaning(of: cause.type) }

    static let heap = MeaningTable([
        MeaningRule(
            "assertion failed", .whole, "A condition that an assert() of the program checks did not hold.", source: "glibc, assert/assert.c"
        ),
        MeaningRule(
            "stack smashing detected", .whole, "A function wrote beyond its variables on the stack.",
            source: "glibc, debug/stack_chk_fail.c"),
        MeaningRule(
            "buffer overflow detected", .whole, "A function of the C library was given a buffer that is too small.",
            source: "glibc, debug/chk_fail.c"),
        MeaningRule(
            "double free or corruption", .anywhere, "The program freed memory twice, or overwrote the allocator's data.",
            source: "glibc, malloc/malloc.c, _int_free"),
        MeaningRule(
            "free(): double free detected", .start, "The program freed memory that it had freed before.",
            source: "glibc, malloc/malloc.c, _int_free"),
        MeaningRule(
            "free(): invalid pointer", .start, "The program freed an address that no allocation returned.",
            source: "glibc, malloc/malloc.c, _int_free"),
        MeaningRule(
            "munmap_chunk(): invalid pointer", .start, "The program freed an address that no allocation returned.",
            source: "glibc, malloc/malloc.c, munmap_chunk"),
        MeaningRule(
            "realloc(): invalid pointer", .start, "The program passed an address to realloc() that no allocation returned.",
            source: "glibc, malloc/malloc.c"),
        MeaningRule(
            "free(): invalid size", .start, "The allocator's data before a block was overwritten, or the address is not of a block.",
            source: "glibc, malloc/malloc.c, _int_free"),
        MeaningRule(
            "free(): invalid next size", .start, "The program wrote past the end of a heap block, over the allocator's data.",
            source: "glibc, malloc/malloc.c, _int_free"),
        MeaningRule(
            "realloc(): invalid next size", .start, "The program wrote past the end of a heap block, over the allocator's data.",
            source: "glibc, malloc/malloc.c, _int_realloc"),
        MeaningRule(
            "malloc(): ", .start,
            "The allocator's data was overwritten: the program wrote outside of a block, or used one after freeing it.",
            source: "glibc, malloc/malloc.c, _int_malloc"),
        MeaningRule(
            "corrupted double-linked list", .start,
            "The allocator's data was overwritten: the program wrote outside of a block, or used one after freeing it.",
            source: "glibc, malloc/malloc.c, unlink_chunk"),
        MeaningRule(
            "corrupted size vs. prev_size", .start, "The allocator's data was overwritten: the program wrote outside of a block.",
            source: "glibc, malloc/malloc.c, unlink_chunk"),
    ])

    /// Checks of Chromium, V8 and Unreal.
    static let checks = MeaningTable([
        MeaningRule(
            "Check failed: ", .start, "A CHECK() or DCHECK() of the program did not hold.",
            source: "Chromium, base/check.h; V8, src/base/logging.h"),
        MeaningRule("Debug check failed: ", .start, "A DCHECK() of the program did not hold.", source: "V8, src/base/logging.h"),
        MeaningRule(
            "Security DCHECK failed: ", .start, "A check of security of the program did not hold.",
            source: "Blink, platform/wtf/assertions.h"),
        MeaningRule(
            "Fatal process out of memory", .start, "The heap of JavaScript reached its limit, or the system gave no more memory.",
            source: "V8, src/api/api.cc"),
        MeaningRule(
            "unimplemented code", .start, "The program reached a part of V8 that is not implemented.",
            source: "V8, src/base/logging.h, UNIMPLEMENTED"),
        MeaningRule(
            "unreachable code", .start, "The program reached a place that the code declares unreachable.",
            source: "V8, src/base/logging.h, UNREACHABLE"),
        MeaningRule(
            "Assertion failed", .start, "A check() or verify() of the program did not hold.",
            source: "Unreal Engine, Misc/AssertionMacros.h"),
    ])
}
