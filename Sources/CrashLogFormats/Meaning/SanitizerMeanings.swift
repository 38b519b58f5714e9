internal import BinaryPrimitives
internal import CrashLogModel

/// Meanings of the sanitizers' kinds of errors.
enum SanitizerMeanings {
    static func meaning(_ facts: CauseFacts) -> Meaning? {
        let type = facts.cause.type
        switch facts.report.format {
        case "sanitizer-tsan": return thread.meaning(of: type)
        case "sanitizer-ubsan":
            guard type == "undefined-behavior" else { return undefined.meaning(of: type) }
            return undefinedMessages.meaning(of: facts.cause.message)
        case "sanitizer-gwp-asan": return guarded.meaning(of: type)
        case "sanitizer-lsan": return leaks.meaning(of: type)
        case "sanitizer-libfuzzer": return fuzzer.meaning(of: type)
        default: break
        }
        return memory.meaning(of: type) ?? hardware.meaning(of: type) ?? leaks.meaning(of: type) ?? fuzzer.meaning(of: type)
            ?? hints.meaning(of: facts.cause.message)
    }

    static let leaks: MeaningTable = """
        compiler-rt, lsan/lsan_common.cpp
        detected memory leaks | Memory was allocated and never freed, and nothing in the program points to it at its end.
        """

    static let memory: MeaningTable = """
        compiler-rt, asan/asan_errors.cpp
        heap-use-after-free | The program used heap memory after it had been freed.
        heap-buffer-overflow | The program accessed memory before or after a heap block.
        stack-buffer-overflow | The program accessed memory past the end of a variable on the stack, such as an array.
        stack-buffer-underflow | The program accessed memory before a variable on the stack.
        dynamic-stack-buffer-overflow | The program accessed memory outside of a block of alloca() or of an array of variable length.
        stack-use-after-return | The program used a local variable of a function that had returned.
        stack-use-after-scope | The program used a local variable outside of the block that it lives in.
        global-buffer-overflow | The program accessed memory before or after a global variable.
        initialization-order-fiasco | A global variable was used before it was initialized: its file comes later in the order of initialization.
        use-after-poison | The program accessed memory that it had marked as not to be used (ASAN_POISON_MEMORY_REGION).
        container-overflow | The program accessed memory inside a container but past its last element.
        intra-object-overflow | The program accessed memory past the end of a member of an object.
        double-free | The program freed memory that it had freed before.
        bad-free | The program freed an address that no allocation returned.
        new-delete-type-mismatch | An object was deleted with a size that differs from the size it was allocated with.
        alloc-dealloc-mismatch | Memory was freed by another kind of call than allocated it, such as free() after new.
        bad-malloc_usable_size | The program passed an address to malloc_usable_size() that no allocation returned.
        bad-__sanitizer_get_allocated_size | The program passed an address to __sanitizer_get_allocated_size() that no allocation returned.
        calloc-overflow | The size of an allocation overflowed: the two arguments of calloc() multiply to more than fits.
        reallocarray-overflow | The size of an allocation overflowed: the arguments of reallocarray() multiply to more than fits.
        pvalloc-overflow | The size of an allocation overflowed when pvalloc() rounded it up.
        invalid-allocation-alignment | The program asked for memory with an alignment that is not valid.
        invalid-aligned-alloc-alignment | The program called aligned_alloc() with an alignment or a size that is not valid.
        invalid-posix-memalign-alignment | The program called posix_memalign() with an alignment that is not valid.
        allocation-size-too-big | The program asked for more memory than the sanitizer's allocator can give. A negative or wrong size does that.
        out-of-memory | The program ran out of memory, or reached the limit set for it.
        rss-limit-exceeded | The program used more memory than the limit that was set for it.
        strcpy-param-overlap | The source and the destination of strcpy() overlap.
        strcat-param-overlap | The source and the destination of strcat() overlap.
        memcpy-param-overlap | The source and the destination of memcpy() overlap. memmove() allows that.
        negative-size-param | A function was called with a negative size.
        bad-__sanitizer_annotate_contiguous_container | The annotation of a container has bounds that are not valid.
        odr-violation | Two global variables of one name have different sizes or places: the program defines the variable twice.
        invalid-pointer-pair | The program compared or subtracted pointers into different objects.
        stack-overflow | The thread used up its stack. Endless recursion or very large local variables cause it.
        unknown-crash | The program accessed memory that AddressSanitizer forbids; what the memory belongs to is unknown.
        use-of-uninitialized-value | The program's behavior depended on a value that had not been initialized.
        CHECK failed | A check inside the sanitizer's own runtime failed.
        breakpoint | The program executed a breakpoint instruction.
        """

    static let hardware: MeaningTable = """
        compiler-rt, hwasan/hwasan_report.cpp
        use-after-free | The program used heap memory after it had been freed.
        stack tag-mismatch | The tag of a pointer did not match the stack's: an access out of bounds, or after the variable's life.
        tag-mismatch | The tag of a pointer did not match the memory's: a use after free, or an access out of bounds.
        invalid-free | The program freed an address that no allocation returned.
        allocation-tail-overwritten | The program wrote past the end of a heap block; that was found when the block was freed.
        """

    static let guarded: MeaningTable = """
        compiler-rt, gwp_asan/common.cpp, ErrorToString
        Use After Free | The program used heap memory after it had been freed.
        Use after free | The program used heap memory after it had been freed.
        Buffer Overflow | The program accessed memory past the end of a heap block.
        Buffer overflow | The program accessed memory past the end of a heap block.
        Buffer Underflow | The program accessed memory before a block of the heap.
        Buffer underflow | The program accessed memory before a block of the heap.
        Double Free | The program freed memory that it had freed before.
        Double free | The program freed memory that it had freed before.
        Invalid (Wild) Free | The program freed an address that no allocation returned.
        Invalid (wild) free | The program freed an address that no allocation returned.
        """

    static let hints: MeaningTable = """
        compiler-rt, sanitizer_common/sanitizer_symbolizer_report.cpp
        *Hint: this fault was caused by a dereference of a high value address* | The program accessed an address that no pointer can have: it was overwritten, or read from memory that holds no pointer.
        """

    static let thread: MeaningTable = """
        compiler-rt, tsan/rtl/tsan_report.cpp
        data race on vptr* | Two threads used an object's virtual functions at once, one of them in the constructor or destructor.
        data race* | Two threads accessed the same memory at once, at least one of them to write, and nothing orders the accesses.
        race on* | Two threads used an object at once that allows only one at a time.
        heap-use-after-free* | The program used heap memory after it had been freed, in another thread.
        thread leak* | A thread was created and neither joined nor detached.
        destroy of a locked mutex* | A mutex was destroyed while it was locked.
        double lock of a mutex* | A thread locked a mutex that it already holds.
        use of an invalid mutex* | A mutex was used before it was initialized or after it was destroyed.
        unlock of an unlocked mutex* | A mutex was unlocked that was not locked, or by another thread than locked it.
        read lock of a write locked mutex* | A thread locked a mutex for reading that it already holds for writing.
        read unlock of a write locked mutex* | A mutex that was locked for writing was unlocked as for reading.
        signal-unsafe call inside of a signal* | A signal handler called a function that is not safe in one.
        signal handler spoils errno* | A signal handler changed errno and did not restore it.
        lock-order-inversion* | Threads lock the same mutexes in different orders, which can deadlock.
        """

    static let fuzzer: MeaningTable = """
        compiler-rt, fuzzer/FuzzerLoop.cpp
        deadly signal* | The program under test was ended by a signal, for an input of the fuzzer.
        timeout* | The program under test took longer than the fuzzer's time limit for one input.
        out-of-memory* | The program under test used more memory than the fuzzer's limit.
        fuzz target exited* | The program under test called exit() instead of returning.
        fuzz target overwrites its const input* | The program under test changed the fuzzer's input.
        """

    // MARK: Undefined behavior

    /// Meanings of the last line's kind of error.
    static let undefined: MeaningTable = """
        compiler-rt, ubsan/ubsan_checks.inc
        signed-integer-overflow | A signed integer operation gave a result that its type cannot hold.
        null-pointer-use | The program used a null pointer.
        integer-divide-by-zero | The program divided an integer by zero.
        out-of-bounds-index | An array was indexed outside of its bounds.
        """

    /// Meanings of the messages, which the cause has in full.
    static let undefinedMessages: MeaningTable = """
        compiler-rt, ubsan/ubsan_handlers.cpp
        *unsigned integer overflow: * | An unsigned integer operation wrapped around.
        *signed integer overflow: * | A signed integer operation gave a result that its type cannot hold.
        *negation of * | The negative of a number does not fit its type.
        *division by zero* | The program divided by zero.
        *division of * | The quotient of a division does not fit its type.
        *shift exponent * | A number was shifted by its width or more, or by a negative amount.
        *left shift of * | A left shift of a signed number lost bits or shifted a negative number.
        *out of bounds for type* | An array was indexed outside of its bounds.
        *load of misaligned address* | The program read through a pointer that is not aligned for its type.
        *store to misaligned address* | The program wrote through a pointer that is not aligned for its type.
        *within misaligned address* | The program used an object through a pointer that is not aligned for its type.
        *misaligned address* | The program used a pointer that is not aligned for its type.
        *null pointer passed as argument* | A null pointer was passed where the function forbids it.
        *null pointer returned from function* | A function returned a null pointer although it is declared never to return one.
        *offset to null pointer* | The program added an offset to a null pointer.
        *null pointer* | The program used a null pointer.
        *insufficient space for an object* | The program used a pointer to memory that is too small for its type.
        *does not point to an object of type* | An object was used through a pointer of another class.
        *load of value * | A bool or an enum had a value that its type does not have.
        *is outside the range of representable values* | A floating-point number was converted to a type that cannot hold it.
        *pointer index expression* | The computation of a pointer wrapped around.
        *addition of unsigned offset* | The computation of a pointer wrapped around.
        *subtraction of unsigned offset* | The computation of a pointer wrapped around.
        *execution reached an unreachable program point* | The program reached a place that the code declares unreachable.
        *execution reached the end of a value-returning function* | A function that must return a value ended without a return statement.
        *variable length array bound* | An array of variable length was given a length that is not positive.
        *implicit conversion from type* | An implicit conversion changed a number's value.
        *call to function* | A function was called through a pointer of another function type.
        *control flow integrity check* | A call or cast went to an object or function of another type than the code expects.
        *assumption is violated during execution* | A condition that the code lets the compiler assume did not hold.
        *passing zero to* | A builtin such as __builtin_clz() was called with zero, for which it has no result.
        """
}
