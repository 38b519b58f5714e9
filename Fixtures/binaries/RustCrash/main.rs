//! Panics below a C library, and prints backtraces by itself.
use std::backtrace::Backtrace;

extern "C" {
    fn pump(take: extern "C-unwind" fn(i32) -> i32, amount: i32) -> i32;
}

#[inline(always)]
fn pour(glass: &[i32], at: usize) -> i32 {
    match std::env::args().nth(1).as_deref() {
        Some("print") => eprintln!("{:#}", Backtrace::force_capture()),
        Some("debug") => eprintln!("{:?}", Backtrace::force_capture()),
        _ => {}
    }
    glass[at] + 1
}

#[inline(never)]
fn fill(at: usize) -> i32 {
    let glass = vec![1, 2, 3];
    pour(&glass, at)
}

extern "C-unwind" fn take(amount: i32) -> i32 {
    fill(amount as usize) + 1
}

#[inline(never)]
fn drain(amount: i32) -> i32 {
    unsafe { pump(take, amount) + 2 }
}

fn main() {
    println!("{}", drain(7));
}
