// The crashes of crash.c in Rust, whose handler prints the stack by glibc's functions; and a panic, whose stack the standard library prints. The truth stands in comments, as in crash.c.
use std::ffi::{c_char, c_int, c_void};
use std::hint::black_box;

extern "C" {
    fn backtrace(frames: *mut *mut c_void, count: c_int) -> c_int;
    fn backtrace_symbols_fd(frames: *const *mut c_void, count: c_int, descriptor: c_int);
    fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
    fn write(descriptor: c_int, text: *const c_char, count: usize) -> isize;
    fn _exit(status: c_int) -> !;
}

#[inline(never)]
fn print_stack() {
    let mut frames = [std::ptr::null_mut(); 64];
    unsafe {
        let count = backtrace(frames.as_mut_ptr(), 64); // CALL print_stack
        backtrace_symbols_fd(frames.as_ptr(), count, 2);
    }
    black_box(&frames);
}

extern "C" fn handler(_number: c_int) {
    let text = "Caught signal 11 (SIGSEGV), backtrace:\n";
    unsafe { write(2, text.as_ptr() as *const c_char, text.len()) };
    print_stack(); // CALL handler
    unsafe { _exit(1) }
}

#[inline(never)]
fn weigh(krate: *mut i32) -> i32 {
    let base = black_box(3);
    unsafe { krate.write_volatile(base) }; // CRASH weigh
    black_box(base) + 1
}

#[inline(never)]
fn load(count: i32, krate: *mut i32) -> i32 {
    let mut sum = 0;
    for index in 0..count {
        sum += weigh(krate) + index; // CALL load
        black_box(sum);
    }
    sum
}

#[inline(always)]
fn press(krate: *mut i32) {
    unsafe { krate.write_volatile(7) }; // CRASH press
}

#[inline(always)]
fn stack_up(krate: *mut i32) {
    black_box(1);
    press(krate); // CALL stack_up
    black_box(2);
}

#[inline(never)]
fn lower(krate: *mut i32) -> i32 {
    black_box(3);
    stack_up(krate); // CALL lower
    black_box(4)
}

// Without debug checks it begins with the store.
#[inline(never)]
fn instant(krate: *mut i32, value: i32) {
    unsafe { krate.write_volatile(value) }; // CRASH instant
}

#[inline(never)]
fn tally(numbers: &[i32], index: usize) -> i32 {
    numbers[index] + 1 // CRASH tally
}

#[inline(never)]
fn check(numbers: &[i32]) -> i32 {
    let index = black_box(numbers.len() + 4);
    let sum = tally(numbers, index); // CALL check
    black_box(sum) + 1
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if words.len() < 3 {
        std::process::exit(64);
    }
    if words[1] != "-" {
        std::fs::write(&words[1], std::fs::read("/proc/self/maps").unwrap()).unwrap();
    }
    let mut unused = [std::ptr::null_mut(); 4];
    unsafe {
        backtrace(unused.as_mut_ptr(), 4);
        signal(11, handler);
    }
    let nowhere = black_box(16usize) as *mut i32;
    let mut sum = words.len() as i32;
    match words[2].as_str() {
        "middle" => {
            // STACK middle: print_stack handler | weigh load main:middle
            sum += load(sum, nowhere); // CALL main:middle
        }
        "inlined" => {
            // STACK inlined: print_stack handler | press stack_up lower main:inlined
            sum += lower(nowhere); // CALL main:inlined
        }
        "first-instruction" => {
            // STACK first-instruction: print_stack handler | instant main:first-instruction
            instant(nowhere, sum); // CALL main:first-instruction
            sum += 1;
        }
        "panic" => {
            // PANIC panic: tally check main:panic
            sum += check(&[1, 2, 3]); // CALL main:panic
        }
        _ => {}
    }
    black_box(sum);
}
