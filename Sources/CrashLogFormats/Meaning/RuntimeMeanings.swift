internal import BinaryPrimitives
internal import CrashLogModel

/// Meanings of the messages with which the runtimes of languages end a program.
enum RuntimeMeanings {
    static func meaning(_ facts: CauseFacts) -> Meaning? {
        let cause = facts.cause
        // From a core's memory.
        switch cause.messageSource {
        case "runtime._panic":
            let text = cause.message.map { $0.hasPrefix("panic: ") ? String($0.dropFirst("panic: ".count)) : $0 }
            if let found = GoMeanings.table.meaning(of: text) { return found }
        case "PanicInfo", "begin_panic":
            if let found = RustMeanings.table.meaning(of: cause.message) { return found }
        default: break
        }
        switch facts.report.format {
        case "go-panic": return go(facts)
        case "rust-panic": return RustMeanings.table.meaning(of: cause.message)
        case "python-trace": return ScriptMeanings.python(cause)
        case "java-trace": return ScriptMeanings.java.meaning(of: lastComponent(cause.type))
        case "jvm-hserr": return ScriptMeanings.machineMessages.meaning(of: cause.message) ?? ScriptMeanings.machine.meaning(of: cause.type)
        case "jvm-javacore": return facts.signal == nil ? ScriptMeanings.openJ9.meaning(of: cause.type) : nil
        case "node-native": return ScriptMeanings.node.meaning(of: cause.message)
        case "glibc-backtrace": return CLibraryMeanings.glibc(cause)
        case "chromium-misc", "unreal":
            return CLibraryMeanings.checks.meaning(of: cause.type) ?? CLibraryMeanings.checks.meaning(of: cause.message)
        case "swift-backtrace" where cause.kind == .signal: return nil
        default: break
        }
        if let found = ToolMeanings.meaning(cause) { return found }
        // If the access to memory failed, a library's message may be left from earlier.
        if facts.isBadAccess { return AppleRuntimeMeanings.diagnoses.meaning(of: cause.message) }
        return AppleRuntimeMeanings.meaning(facts)
    }

    /// `NullPointerException` of `java.lang.NullPointerException`.
    private static func lastComponent(_ type: String?) -> String? { type?.split(separator: ".").last.map(String.init) }

    private static func go(_ facts: CauseFacts) -> Meaning? {
        if facts.cause.type == "DATA RACE" {
            return Meaning(
                "Two goroutines accessed the same memory at once, at least one of them to write, and nothing orders the accesses.",
                source: "Go, Data Race Detector")
        }
        return GoMeanings.table.meaning(of: facts.cause.message)
    }
}

/// Swift, Objective-C and the libraries of Apple's systems.
enum AppleRuntimeMeanings {
    /// Meaning of the program's own message, which formats of Apple's systems and Swift's have in
    /// the cause's message.
    static func meaning(_ facts: CauseFacts) -> Meaning? {
        let cause = facts.cause
        let isException = cause.kind == .languageException
        if let found = reasons.meaning(of: cause.message) { return found }
        if let name = isException ? cause.type : uncaughtException(cause.message) {
            // Crash reporters write these at an exception that nobody caught; others may report one
            // that was caught.
            let isUncaught = !isException || ["kscrash-json", "plcrashreporter"].contains(facts.report.format)
            if let found = exceptions.meaning(of: name) ?? (isUncaught ? uncaught : nil) { return found }
        }
        return swift.meaning(of: cause.message) ?? diagnoses.meaning(of: cause.message)
            ?? fatal.meaning(of: cause.kind == .runtimeError ? cause.type : nil)
    }

    static let uncaught = Meaning("An exception was thrown and nothing caught it.", source: "Apple, NSSetUncaughtExceptionHandler")

    /// `NAME` of `*** Terminating app due to uncaught exception 'NAME', reason: '…'`.
    private static func uncaughtException(_ message: String?) -> String? {
        let bytes = Array((message ?? "").utf8)
        guard let mark = bytes.span.firstRange(of: "Terminating app due to uncaught exception '") else { return nil }
        let rest = bytes.span.from(mark.upperBound)
        return rest.firstIndex(of: UInt8(ascii: "'")).map { rest.upTo($0).text }
    }

    static let swift: MeaningTable = """
        *nexpectedly found nil while implicitly unwrapping an Optional value* | The program used an implicitly unwrapped Optional that was nil. | Swift, stdlib/public/core/Optional.swift
        *nexpectedly found nil while unwrapping an Optional value* | The program force-unwrapped an Optional that was nil. | Swift, stdlib/public/core/Optional.swift
        *ndex out of range* | The program used an index that the collection does not have. | Swift, stdlib/public/core/Array.swift
        *rray index is out of range* | The program used an index that the array does not have. | Swift, stdlib/public/core/ContiguousArrayBuffer.swift
        *arithmetic overflow* | An integer operation gave a result that its type cannot hold. | Swift, lib/SILOptimizer: cond_fail "arithmetic overflow"
        *ivision by zero* | The program divided by zero. | Swift, stdlib/public/core/Integers.swift
        *Not enough bits to represent* | The program converted a number to an integer type that cannot hold it. | Swift, stdlib/public/core/IntegerTypes.swift.gyb
        *Negative value is not representable* | The program converted a negative number to an unsigned type. | Swift, stdlib/public/core/IntegerTypes.swift.gyb
        *value cannot be converted to* | The program converted a floating-point number that is infinite, not a number or too large for the type. | Swift, stdlib/public/core/IntegerTypes.swift.gyb
        *with upperBound < lowerBound* | The program formed a range whose upper bound is below its lower bound. | Swift, stdlib/public/core/Range.swift
        *Could not cast value of type* | A forced cast (as!) failed: the value is of another type. | Swift, stdlib/public/runtime/Casting.cpp, swift_dynamicCastFailure
        *Duplicate keys of type* | Two keys of a dictionary became equal after they were added: they changed, or break the rules of Hashable. | Swift, stdlib/public/core/NativeDictionary.swift
        *Dictionary literal contains duplicate keys* | A dictionary literal has the same key twice. | Swift, stdlib/public/core/Dictionary.swift
        *'try!' expression unexpectedly raised an error* | An expression with try! threw an error. | Swift, stdlib/public/core/ErrorType.swift
        *Error raised at top level* | An error was thrown and nothing in the program caught it. | Swift, stdlib/public/core/ErrorType.swift
        *Simultaneous accesses to* | The program accessed a variable while another access was changing it, which Swift forbids. | Swift, stdlib/public/runtime/Exclusivity.cpp
        *atal access conflict* | The program accessed a variable while another access was changing it, which Swift forbids. | Swift, stdlib/public/runtime/Exclusivity.cpp
        *Attempted to read an unowned reference but* | The program used an unowned reference to an object that had been deallocated. | Swift, stdlib/public/runtime/HeapObject.cpp, swift_abortRetainUnowned
        *was deallocated with non-zero retain count* | An object was deallocated while something kept a reference to it, such as one that deinit stored. | Swift, stdlib/public/runtime/HeapObject.cpp
        *has leaked its continuation* | A continuation was dropped without being resumed, so that its task never goes on. | Swift, stdlib/public/Concurrency/CheckedContinuation.swift
        *tried to resume its continuation more than once* | A continuation was resumed twice; it must be resumed once. | Swift, stdlib/public/Concurrency/CheckedContinuation.swift
        *ncorrect actor executor assumption* | Code that must run on one actor, such as the main actor, ran elsewhere. | Swift, stdlib/public/Concurrency/ExecutorAssertions.swift
        *recondition failed* | A precondition() of the program did not hold. | Swift, stdlib/public/core/Assert.swift
        precondition failure | A precondition() of the program or of a library did not hold. | Swift, stdlib/public/core/Assert.swift
        Assertion failed* | An assertion of the program did not hold. | Swift, stdlib/public/core/Assert.swift
        *BUG IN CLIENT OF LIBDISPATCH* | The program used Dispatch in a way that it does not allow. The message has the details. | libdispatch, src/internal.h, DISPATCH_CLIENT_CRASH
        *BUG IN CLIENT OF LIBMALLOC* | The program misused or overwrote memory of the allocator. The message has the details. | libmalloc, src/malloc_common.c
        *pointer being freed was not allocated* | The program freed an address that no allocation returned, or freed it twice. | libmalloc, src/magazine_malloc.c
        *incorrect checksum for freed object* | A freed block of memory was written to. | libmalloc, src/magazine_inline.h
        *BUG IN CLIENT OF LIBPLATFORM* | The program misused a lock. The message has the details. | libplatform, src/os/lock.c
        = stack buffer overflow | A function wrote beyond its variables on the stack. | Libc of macOS, sys/stack_protector.c
        = detected buffer overflow | A function of the C library was given a buffer that is too small. | Libc of macOS, secure/chk_fail.c
        """

    static let fatal: MeaningTable = """
        Swift, stdlib/public/core/Assert.swift
        Fatal error | The program stopped itself with a fatal error.
        Swift runtime failure | A check that the Swift compiler put into the program failed.
        """

    /// Reasons of exceptions, which are more specific than their names.
    static let reasons: MeaningTable = """
        *unrecognized selector sent to* | The program sent a message to an Objective-C object that does not have the method. | Apple, NSObject doesNotRecognizeSelector:
        *beyond bounds* | The program used an index that the array or string does not have. | Apple, NSRangeException
        *was mutated while being enumerated* | A collection was changed while the program went through it. | Apple, NSFastEnumeration
        *object cannot be nil* | The program put nil into an Objective-C collection, which cannot hold it. | Apple, NSMutableArray insertObject:atIndex:
        *attempt to insert nil object* | The program put nil into an Objective-C collection, which cannot hold it. | Apple, NSArray initWithObjects:count:
        *not key value coding-compliant for the key* | The program used a key that the object does not have. In a nib or storyboard it is an outlet that is not there. | Apple, NSUndefinedKeyException
        *invalid number of* | A table or collection view was updated in a way that does not fit the number of items that its data source gives. | Apple, UITableView performBatchUpdates:completion:
        """

    static let exceptions: MeaningTable = """
        Apple, NSExceptionName
        NSInvalidArgumentException | A method was called with an argument that is not valid, and nothing caught the exception.
        NSRangeException | The program used an index or a range that the collection does not have.
        NSInternalInconsistencyException | A condition that a class checks did not hold: its state is inconsistent.
        NSGenericException | An Objective-C exception was thrown and nothing caught it.
        NSUndefinedKeyException | The program used a key that the object does not have.
        NSMallocException | The program ran out of memory.
        NSObjectInaccessibleException | Core Data could not read an object: it was deleted from the store.
        NSFileHandleOperationException | An operation on a file handle failed, such as a write to a closed pipe.
        NSDestinationInvalidException | The receiver of a call to another thread was not valid.
        NSPortTimeoutException | A message to a port was not sent in time.
        NSUnknownKeyException | The program used a key that the object does not have.
        """

    /// Diagnoses of KSCrash's doctor (`KSCrashDoctor.m`); Sentry's old events have them, too.
    static let diagnoses: MeaningTable = """
        Attempted to dereference null pointer* | The program accessed memory through a null pointer. | KSCrash, KSCrashDoctor.m
        Stack overflow in * | The thread used up its stack. Endless recursion or very large local variables cause it. | KSCrash, KSCrashDoctor.m
        Possible zombie in call* | A message was sent to an object that had probably been deallocated. | KSCrash, KSCrashDoctor.m
        the main thread did not respond in time | The main thread was blocked for longer than the program's own limit. | KSCrash, KSCrashMonitor_Deadlock.m
        """
}

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
