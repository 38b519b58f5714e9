internal import CrashLogModel

/// Panics and fatal errors of Go's runtime, and panics of Rust's library.
enum GoMeanings {
    static let table = MeaningTable([
        MeaningRule(
            "invalid memory address or nil pointer dereference", .anywhere, "The program used a nil pointer.",
            source: "Go, src/runtime/panic.go, memoryError"),
        MeaningRule(
            "index out of range", .anywhere, "The program used an index that the slice, array or string does not have.",
            source: "Go, src/runtime/error.go, boundsErrorFmts"),
        MeaningRule(
            "slice bounds out of range", .anywhere, "The program took a part of a slice or string that it does not have.",
            source: "Go, src/runtime/error.go, boundsErrorFmts"),
        MeaningRule(
            "integer divide by zero", .anywhere, "The program divided an integer by zero.", source: "Go, src/runtime/panic.go, divideError"),
        MeaningRule(
            "assignment to entry in nil map", .anywhere, "The program wrote to a map that is nil: it was declared and never made.",
            source: "Go, src/runtime/map.go"),
        MeaningRule(
            "all goroutines are asleep - deadlock!", .anywhere,
            "All goroutines wait for each other or for something that never comes: a deadlock.",
            source: "Go, src/runtime/proc.go, checkdead"),
        MeaningRule(
            "concurrent map", .anywhere, "Several goroutines used a map at once, one of them to write, without a lock.",
            source: "Go, src/runtime/map.go"),
        MeaningRule(
            "close of closed channel", .anywhere, "The program closed a channel that was closed before.", source: "Go, src/runtime/chan.go"),
        MeaningRule(
            "send on closed channel", .anywhere, "The program sent to a channel that is closed.", source: "Go, src/runtime/chan.go"),
        MeaningRule("close of nil channel", .anywhere, "The program closed a channel that is nil.", source: "Go, src/runtime/chan.go"),
        MeaningRule(
            "interface conversion: ", .start, "A type assertion failed: the value is of another type, or nil.",
            source: "Go, src/runtime/error.go, TypeAssertionError"),
        MeaningRule(
            "negative WaitGroup counter", .anywhere, "Done() was called more often than Add() on a WaitGroup.",
            source: "Go, src/sync/waitgroup.go"),
        MeaningRule("unlock of unlocked", .anywhere, "The program unlocked a mutex that is not locked.", source: "Go, src/sync/mutex.go"),
        MeaningRule(
            "makeslice: len out of range", .anywhere, "The program made a slice with a length that is negative or too large.",
            source: "Go, src/runtime/slice.go"),
        MeaningRule(
            "hash of unhashable type", .anywhere, "The program used a value as a map's key that cannot be one.",
            source: "Go, src/runtime/alg.go"),
        MeaningRule(
            "comparing uncomparable type", .anywhere, "The program compared values of a type that cannot be compared.",
            source: "Go, src/runtime/alg.go"),
        MeaningRule(
            "stack overflow", .anywhere, "A goroutine's stack reached its limit, mostly by endless recursion.",
            source: "Go, src/runtime/stack.go, newstack"),
        MeaningRule("out of memory", .anywhere, "The program ran out of memory.", source: "Go, src/runtime/malloc.go"),
        MeaningRule(
            "runtime: goroutine stack exceeds", .anywhere, "A goroutine's stack reached its limit, mostly by endless recursion.",
            source: "Go, src/runtime/stack.go, newstack"),
        MeaningRule(
            "unexpected signal during runtime execution", .anywhere,
            "A bad access to memory occurred in code that is not Go's, such as C code, or in the runtime.",
            source: "Go, src/runtime/signal_unix.go, sigpanic"),
        MeaningRule(
            "fault", .whole, "The program accessed memory that it may not access.", source: "Go, src/runtime/signal_unix.go, sigpanic"),
        MeaningRule(
            "unexpected fault address", .start, "The program accessed memory that it may not access.",
            source: "Go, src/runtime/signal_unix.go, sigpanic"),
        MeaningRule(
            "too many concurrent operations on a single file or socket", .anywhere,
            "The program has too many operations on one file or socket at once.", source: "Go, src/internal/poll/fd_mutex.go"),
        MeaningRule("thread exhaustion", .anywhere, "The program has more threads than Go's limit.", source: "Go, src/runtime/proc.go"),
        MeaningRule(
            "found bad pointer in Go heap", .anywhere,
            "The garbage collector found a pointer that is not valid: unsafe or C code stored it.", source: "Go, src/runtime/mbitmap.go"),
    ])
}

enum RustMeanings {
    static let table = MeaningTable([
        MeaningRule(
            "called `Option::unwrap()` on a `None` value", .start, "The program called unwrap() on an Option that is None.",
            source: "Rust, library/core/src/option.rs"),
        MeaningRule(
            "called `Result::unwrap()` on an `Err` value", .start, "The program called unwrap() on a Result that is an error.",
            source: "Rust, library/core/src/result.rs"),
        MeaningRule(
            "called `Result::unwrap_err()` on an `Ok` value", .start, "The program called unwrap_err() on a Result that is not an error.",
            source: "Rust, library/core/src/result.rs"),
        MeaningRule(
            "index out of bounds: the len is", .start, "The program used an index that the slice or array does not have.",
            source: "Rust, library/core/src/panicking.rs, panic_bounds_check"),
        MeaningRule(
            "out of range for slice of length", .anywhere, "The program took a part of a slice that it does not have.",
            source: "Rust, library/core/src/slice/index.rs"),
        MeaningRule(
            "slice index starts at", .start, "The program took a part of a slice whose end is before its start.",
            source: "Rust, library/core/src/slice/index.rs"),
        MeaningRule(
            "is not a char boundary", .anywhere, "The program cut a string inside of a character.",
            source: "Rust, library/core/src/str/mod.rs"),
        MeaningRule(
            "with overflow", .anywhere, "An integer operation gave a result that its type cannot hold.",
            source: "Rust, library/core/src/panicking.rs, panic_const"),
        MeaningRule(
            "attempt to divide by zero", .start, "The program divided by zero.", source: "Rust, library/core/src/panicking.rs, panic_const"),
        MeaningRule(
            "attempt to calculate the remainder with a divisor of zero", .start, "The program divided by zero.",
            source: "Rust, library/core/src/panicking.rs, panic_const"),
        MeaningRule(
            "already borrowed", .start, "A RefCell was borrowed to write while it was borrowed already.",
            source: "Rust, library/core/src/cell.rs"),
        MeaningRule(
            "already mutably borrowed", .start, "A RefCell was borrowed while it was borrowed to write.",
            source: "Rust, library/core/src/cell.rs"),
        MeaningRule(
            "RefCell already", .start, "A RefCell was borrowed while another borrow forbids it.", source: "Rust, library/core/src/cell.rs"),
        MeaningRule(
            "assertion `left == right` failed", .start, "The two values of an assert_eq!() differ.",
            source: "Rust, library/core/src/panicking.rs, assert_failed"),
        MeaningRule(
            "assertion `left != right` failed", .start, "The two values of an assert_ne!() are equal.",
            source: "Rust, library/core/src/panicking.rs, assert_failed"),
        MeaningRule(
            "assertion failed: `(left == right)`", .start, "The two values of an assert_eq!() differ.",
            source: "Rust, library/core/src/panicking.rs, assert_failed"),
        MeaningRule(
            "assertion failed: ", .start, "The condition of an assert!() did not hold.",
            source: "Rust, library/core/src/macros/mod.rs, assert"),
        MeaningRule(
            "internal error: entered unreachable code", .start, "The program reached a place that the code declares unreachable.",
            source: "Rust, library/core/src/macros/mod.rs, unreachable"),
        MeaningRule("not yet implemented", .start, "The program reached a todo!().", source: "Rust, library/core/src/macros/mod.rs, todo"),
        MeaningRule(
            "not implemented", .start, "The program reached an unimplemented!().",
            source: "Rust, library/core/src/macros/mod.rs, unimplemented"),
        MeaningRule(
            "capacity overflow", .whole, "A collection would be larger than memory allows.", source: "Rust, library/alloc/src/raw_vec.rs"),
        MeaningRule(
            "PoisonError", .anywhere, "A mutex was locked whose former holder had panicked.", source: "Rust, library/std/src/sync/poison.rs"
        ),
        MeaningRule("explicit panic", .whole, "The program called panic!().", source: "Rust, library/core/src/panic.rs"),
    ])
}
