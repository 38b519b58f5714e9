internal import CrashLogModel

/// Panics and fatal errors of Go's runtime, and panics of Rust's library.
enum GoMeanings {
    static let table: MeaningTable = """
        *invalid memory address or nil pointer dereference* | The program used a nil pointer. | Go, src/runtime/panic.go, memoryError
        *index out of range* | The program used an index that the slice, array or string does not have. | Go, src/runtime/error.go, boundsErrorFmts
        *slice bounds out of range* | The program took a part of a slice or string that it does not have. | Go, src/runtime/error.go, boundsErrorFmts
        *integer divide by zero* | The program divided an integer by zero. | Go, src/runtime/panic.go, divideError
        *assignment to entry in nil map* | The program wrote to a map that is nil: it was declared and never made. | Go, src/runtime/map.go
        *all goroutines are asleep - deadlock!* | All goroutines wait for each other or for something that never comes: a deadlock. | Go, src/runtime/proc.go, checkdead
        *concurrent map* | Several goroutines used a map at once, one of them to write, without a lock. | Go, src/runtime/map.go
        *close of closed channel* | The program closed a channel that was closed before. | Go, src/runtime/chan.go
        *send on closed channel* | The program sent to a channel that is closed. | Go, src/runtime/chan.go
        *close of nil channel* | The program closed a channel that is nil. | Go, src/runtime/chan.go
        interface conversion: * | A type assertion failed: the value is of another type, or nil. | Go, src/runtime/error.go, TypeAssertionError
        *negative WaitGroup counter* | Done() was called more often than Add() on a WaitGroup. | Go, src/sync/waitgroup.go
        *unlock of unlocked* | The program unlocked a mutex that is not locked. | Go, src/sync/mutex.go
        *makeslice: len out of range* | The program made a slice with a length that is negative or too large. | Go, src/runtime/slice.go
        *hash of unhashable type* | The program used a value as a map's key that cannot be one. | Go, src/runtime/alg.go
        *comparing uncomparable type* | The program compared values of a type that cannot be compared. | Go, src/runtime/alg.go
        *stack overflow* | A goroutine's stack reached its limit, mostly by endless recursion. | Go, src/runtime/stack.go, newstack
        *out of memory* | The program ran out of memory. | Go, src/runtime/malloc.go
        *runtime: goroutine stack exceeds* | A goroutine's stack reached its limit, mostly by endless recursion. | Go, src/runtime/stack.go, newstack
        *unexpected signal during runtime execution* | A bad access to memory occurred in code that is not Go's, such as C code, or in the runtime. | Go, src/runtime/signal_unix.go, sigpanic
        fault | The program accessed memory that it may not access. | Go, src/runtime/signal_unix.go, sigpanic
        unexpected fault address* | The program accessed memory that it may not access. | Go, src/runtime/signal_unix.go, sigpanic
        *too many concurrent operations on a single file or socket* | The program has too many operations on one file or socket at once. | Go, src/internal/poll/fd_mutex.go
        *thread exhaustion* | The program has more threads than Go's limit. | Go, src/runtime/proc.go
        *found bad pointer in Go heap* | The garbage collector found a pointer that is not valid: unsafe or C code stored it. | Go, src/runtime/mbitmap.go
        """
}

enum RustMeanings {
    static let table: MeaningTable = """
        called `Option::unwrap()` on a `None` value* | The program called unwrap() on an Option that is None. | Rust, library/core/src/option.rs
        called `Result::unwrap()` on an `Err` value* | The program called unwrap() on a Result that is an error. | Rust, library/core/src/result.rs
        called `Result::unwrap_err()` on an `Ok` value* | The program called unwrap_err() on a Result that is not an error. | Rust, library/core/src/result.rs
        index out of bounds: the len is* | The program used an index that the slice or array does not have. | Rust, library/core/src/panicking.rs, panic_bounds_check
        *out of range for slice of length* | The program took a part of a slice that it does not have. | Rust, library/core/src/slice/index.rs
        slice index starts at* | The program took a part of a slice whose end is before its start. | Rust, library/core/src/slice/index.rs
        *is not a char boundary* | The program cut a string inside of a character. | Rust, library/core/src/str/mod.rs
        *with overflow* | An integer operation gave a result that its type cannot hold. | Rust, library/core/src/panicking.rs, panic_const
        attempt to divide by zero* | The program divided by zero. | Rust, library/core/src/panicking.rs, panic_const
        attempt to calculate the remainder with a divisor of zero* | The program divided by zero. | Rust, library/core/src/panicking.rs, panic_const
        already borrowed* | A RefCell was borrowed to write while it was borrowed already. | Rust, library/core/src/cell.rs
        already mutably borrowed* | A RefCell was borrowed while it was borrowed to write. | Rust, library/core/src/cell.rs
        RefCell already* | A RefCell was borrowed while another borrow forbids it. | Rust, library/core/src/cell.rs
        assertion `left == right` failed* | The two values of an assert_eq!() differ. | Rust, library/core/src/panicking.rs, assert_failed
        assertion `left != right` failed* | The two values of an assert_ne!() are equal. | Rust, library/core/src/panicking.rs, assert_failed
        assertion failed: `(left == right)`* | The two values of an assert_eq!() differ. | Rust, library/core/src/panicking.rs, assert_failed
        assertion failed: * | The condition of an assert!() did not hold. | Rust, library/core/src/macros/mod.rs, assert
        internal error: entered unreachable code* | The program reached a place that the code declares unreachable. | Rust, library/core/src/macros/mod.rs, unreachable
        not yet implemented* | The program reached a todo!(). | Rust, library/core/src/macros/mod.rs, todo
        not implemented* | The program reached an unimplemented!(). | Rust, library/core/src/macros/mod.rs, unimplemented
        capacity overflow | A collection would be larger than memory allows. | Rust, library/alloc/src/raw_vec.rs
        *PoisonError* | A mutex was locked whose former holder had panicked. | Rust, library/std/src/sync/poison.rs
        explicit panic | The program called panic!(). | Rust, library/core/src/panic.rs
        """
}
