internal import CrashLogModel

/// Meanings of the messages with which C libraries and the macros of large programs end a program.
enum CLibraryMeanings {
    static func glibc(_ cause: CrashCause) -> Meaning? { heap.meaning(of: cause.type) }

    static let heap: MeaningTable = """
        assertion failed | A condition that an assert() of the program checks did not hold. | glibc, assert/assert.c
        stack smashing detected | A function wrote beyond its variables on the stack. | glibc, debug/stack_chk_fail.c
        buffer overflow detected | A function of the C library was given a buffer that is too small. | glibc, debug/chk_fail.c
        *double free or corruption* | The program freed memory twice, or overwrote the allocator's data. | glibc, malloc/malloc.c, _int_free
        free(): double free detected* | The program freed memory that it had freed before. | glibc, malloc/malloc.c, _int_free
        free(): invalid pointer* | The program freed an address that no allocation returned. | glibc, malloc/malloc.c, _int_free
        munmap_chunk(): invalid pointer* | The program freed an address that no allocation returned. | glibc, malloc/malloc.c, munmap_chunk
        realloc(): invalid pointer* | The program passed an address to realloc() that no allocation returned. | glibc, malloc/malloc.c
        free(): invalid size* | The allocator's data before a block was overwritten, or the address is not of a block. | glibc, malloc/malloc.c, _int_free
        free(): invalid next size* | The program wrote past the end of a heap block, over the allocator's data. | glibc, malloc/malloc.c, _int_free
        realloc(): invalid next size* | The program wrote past the end of a heap block, over the allocator's data. | glibc, malloc/malloc.c, _int_realloc
        malloc(): * | The allocator's data was overwritten: the program wrote outside of a block, or used one after freeing it. | glibc, malloc/malloc.c, _int_malloc
        corrupted double-linked list* | The allocator's data was overwritten: the program wrote outside of a block, or used one after freeing it. | glibc, malloc/malloc.c, unlink_chunk
        corrupted size vs. prev_size* | The allocator's data was overwritten: the program wrote outside of a block. | glibc, malloc/malloc.c, unlink_chunk
        """

    /// Checks of Chromium, V8 and Unreal.
    static let checks: MeaningTable = """
        Check failed: * | A CHECK() or DCHECK() of the program did not hold. | Chromium, base/check.h; V8, src/base/logging.h
        Debug check failed: * | A DCHECK() of the program did not hold. | V8, src/base/logging.h
        Security DCHECK failed: * | A check of security of the program did not hold. | Blink, platform/wtf/assertions.h
        Fatal process out of memory* | The heap of JavaScript reached its limit, or the system gave no more memory. | V8, src/api/api.cc
        unimplemented code* | The program reached a part of V8 that is not implemented. | V8, src/base/logging.h, UNIMPLEMENTED
        unreachable code* | The program reached a place that the code declares unreachable. | V8, src/base/logging.h, UNREACHABLE
        Assertion failed* | A check() or verify() of the program did not hold. | Unreal Engine, Misc/AssertionMacros.h
        """
}
