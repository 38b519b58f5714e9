// A program of Rust that crashes in the way that its first argument names. CHAIN: see faults.c.
use std::hint::black_box;

#[inline(never)]
fn write_null(n: i32) { unsafe { std::ptr::write_volatile(black_box(8usize) as *mut i32, n) } }
#[inline(never)]
fn inner(n: i32) { write_null(n + 1); black_box(n); }

// CHAIN null: write_null inner outer main
// CHAIN panic: panics outer main
#[inline(never)]
fn panics(index: usize) { let list = black_box(vec![1, 2, 3]); black_box(list[index]); }
// CHAIN drop: write_null inner dropped outer main
struct Guard;
impl Drop for Guard { #[inline(never)] fn drop(&mut self) { inner(1); black_box(1); } }
#[inline(never)]
fn dropped() { let guard = black_box(Guard); black_box(&guard); }
// CHAIN double: double outer main
struct Second;
impl Drop for Second { #[inline(never)] fn drop(&mut self) { panics(black_box(9)); black_box(1); } }
#[inline(never)]
fn double() { let guard = black_box(Second); panics(7); black_box(&guard); }
// CHAIN overflow: recurse recurse recurse
#[inline(never)]
fn recurse(n: u64) -> u64 { let room = black_box([n; 64]); recurse(n + 1) + room[(n & 63) as usize] }
// CHAIN thread: write_null inner
// CHAIN abort: gives_up outer main
#[inline(never)]
fn gives_up() { std::process::abort() }

#[inline(never)]
fn outer(case: &str) {
    match case {
        "null" => inner(1),
        "panic" => panics(black_box(9)),
        "drop" => dropped(),
        "double" => double(),
        "overflow" => { black_box(recurse(1)); }
        "thread" => { let _ = std::thread::spawn(|| { inner(1); black_box(1) }).join(); }
        "abort" => gives_up(),
        _ => {}
    }
    black_box(1);
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("panic") { std::panic::set_hook(Box::new(|_| std::process::abort())); }
    outer(&std::env::args().nth(1).unwrap_or_default());
    black_box(1);
}
