import BinaryPrimitives

@testable import CrashLogFormats
@testable import CrashLogModel

/// Causes of the runtimes of languages and of checkers, with the text that these print.
extension MeaningTests {
    static let runtimes: [Given] = [
        Given(
            format: "go-panic", kind: .languageException, type: "panic", message: "assignment to entry in nil map",
            meaning: "The program wrote to a map that is nil: it was declared and never made."),
        Given(
            format: "go-panic", kind: .runtimeError, type: "fatal error", message: "all goroutines are asleep - deadlock!",
            meaning: "All goroutines wait for each other or for something that never comes: a deadlock."),
        Given(
            format: "rust-panic", kind: .languageException, type: "panic", message: "called `Option::unwrap()` on a `None` value",
            meaning: "The program called unwrap() on an Option that is None."),
        Given(
            format: "swift-runtime-trace", kind: .runtimeError, type: "Fatal error",
            message: "Unexpectedly found nil while unwrapping an Optional value",
            meaning: "The program force-unwrapped an Optional that was nil."),
        Given(
            format: "swift-runtime-trace", kind: .runtimeError, type: "Fatal error", message: "Index out of range",
            meaning: "The program used an index that the collection does not have."),
        Given(
            format: "java-trace", kind: .languageException, type: "java.lang.NullPointerException",
            meaning: "The program used a reference that is null."),
        Given(
            format: "java-trace", kind: .languageException, type: "kotlin.UninitializedPropertyAccessException",
            meaning: "A lateinit property was used before it was set."),
        Given(
            format: "python-trace", kind: .languageException, type: "AttributeError",
            message: "'NoneType' object has no attribute 'rsplit'",
            meaning: "The program used an attribute of None: a variable has no value there."),
        Given(
            format: "nsexception-console", kind: .languageException, type: "NSInvalidArgumentException",
            message: "-[Boat moor]: unrecognized selector sent to instance 0x600000c0c010",
            meaning: "The program sent a message to an Objective-C object that does not have the method."),
        Given(
            format: "glibc-backtrace", kind: .runtimeError, type: "double free or corruption (fasttop)",
            meaning: "The program freed memory twice, or overwrote the allocator's data."),
        Given(
            format: "node-native", kind: .runtimeError, type: "FATAL ERROR",
            message: "Reached heap limit Allocation failed - JavaScript heap out of memory",
            meaning: "The heap of JavaScript reached its limit."),
        Given(format: "android-anr", kind: .other, type: "ANR", meaning: "The app did not respond in time: its main thread was blocked."),
        Given(
            format: "metrickit", kind: .other, type: "MXHangDiagnostic",
            meaning: "The app's main thread was blocked for so long that the user noticed."),
        // No rule, no sentence.
        Given(format: "go-panic", kind: .languageException, type: "panic", message: "bad hex char"),
        Given(format: "python-trace", kind: .languageException, type: "HarbourError", message: "the tank is empty"),
        Given(format: "apple-panic", kind: .other, type: "panic", message: "\"bad transition\" @Demo.m:94"),
        Given(format: "symbolizer-markup", kind: .other, type: "backtrace"),
    ]

    /// The types that the readers of these logs take from the examples of the programs' manuals.
    static let tools: [Given] = [
        Given(
            format: "valgrind", kind: .runtimeError, type: "Invalid read of size 4",
            meaning: "The program read memory that is not allocated, or was freed."),
        Given(
            format: "valgrind", kind: .runtimeError, type: "Invalid free() / delete / delete[] / realloc()",
            meaning: "The program freed memory twice, or an address that no allocation returned."),
        Given(
            format: "valgrind", kind: .runtimeError, type: "40 bytes in 1 blocks are definitely lost in loss record 1 of 2",
            meaning: "Memory was not freed, and no pointer to it is left."),
        Given(
            format: "druntime", kind: .languageException, type: "core.exception.ArrayIndexError",
            message: "index [6] is out of bounds for array of length 3", meaning: "The program used an index that the array does not have."),
        Given(
            format: "esp-idf", kind: .runtimeError, type: "LoadProhibited",
            meaning: "The program read from an address that is not valid. The register EXCVADDR has the address."),
        Given(
            format: "gfortran", kind: .runtimeError, type: "Fortran runtime error",
            message: "Index '11' of dimension 1 of array 'berths' above upper bound of 10",
            meaning: "The program used an index that is outside of the array's bounds."),
        Given(
            format: "kotlin-native", kind: .languageException, type: "kotlin.IllegalStateException", message: "boom",
            meaning: "A method was called at a time when the object's state does not allow it."),
        Given(
            format: "lldb", kind: .machException, type: "EXC_BAD_ACCESS", codes: "code=1, address=0x8", address: 8, architecture: .arm64,
            meaning: "The program accessed address 0x8, just above null, where the fields and elements of a null pointer are."),
        Given(
            format: "lldb", kind: .machException, type: "EXC_BAD_ACCESS", codes: "code=EXC_I386_GPFLT", architecture: .x86_64,
            meaning:
                "A general protection fault: mostly an access to an address that no x86-64 pointer can have. The processor does not report the address."
        ),
        Given(
            format: "lldb", kind: .machException, type: "EXC_ARITHMETIC", codes: "code=EXC_I386_DIV, subcode=0x0", architecture: .x86_64,
            meaning: "An integer division by zero, or a quotient that is too large."),
        Given(format: "gfortran", kind: .runtimeError, type: "Fortran runtime error", message: "the harbour is full"),
    ]
}
