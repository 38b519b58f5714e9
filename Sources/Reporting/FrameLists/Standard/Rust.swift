extension FrameList {
    /// Rust: panics, and its library.
    static let rust = FrameList(
        name: "rust",
        """
        language rust
        sentinel rust_begin_unwind
        sentinel __rustc::rust_begin_unwind
        sentinel rust_panic
        sentinel __rustc::rust_panic
        sentinel __rust_start_panic
        sentinel __rust_end_short_backtrace
        sentinel std::sys::backtrace::__rust_end_short_backtrace
        sentinel std::sys_common::backtrace::__rust_end_short_backtrace
        sentinel core::panicking::*
        sentinel std::panicking::begin_panic*
        sentinel std::panicking::rust_panic*
        sentinel std::panicking::panic_*
        sentinel std::panicking::panic_any
        sentinel std::rt::begin_panic*
        sentinel std::rt::panic_*
        sentinel core::option::unwrap_failed
        sentinel core::option::expect_failed
        sentinel core::option::expect_none_failed
        sentinel core::result::unwrap_failed
        sentinel core::cell::panic_already_*
        sentinel core::str::slice_error_fail*
        sentinel core::slice::index::slice_*_fail*
        sentinel core::slice::*::len_mismatch_fail*
        sentinel alloc::alloc::handle_alloc_error
        sentinel alloc::raw_vec::capacity_overflow
        sentinel alloc::raw_vec::handle_error
        irrelevant std::panicking::*
        irrelevant std::panic::*
        irrelevant std::rt::*
        irrelevant std::sys::*
        irrelevant std::sys_common::*
        irrelevant __rust_begin_short_backtrace
        irrelevant __rust_try
        irrelevant __rust_maybe_catch_panic
        irrelevant __rust_alloc*
        irrelevant __rust_dealloc
        irrelevant __rust_realloc
        irrelevant __rdl_*
        irrelevant __rg_*
        irrelevant rust_eh_personality
        irrelevant rust_oom
        irrelevant std::alloc::*
        irrelevant std::thread::*
        irrelevant core::ops::function::*
        # Errors with causes are made, and get their stack, in these crates.
        irrelevant anyhow::*
        irrelevant eyre::*
        irrelevant <* as core::ops::function::*
        library core::*
        library alloc::*
        library std::*
        library hashbrown::*
        library __rustc::*
        library <* as core::*
        library <* as alloc::*
        library <* as std::*
        """)
}
