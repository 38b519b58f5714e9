// A program of Rust that crashes in the way that its argument names. CRASH: see crash.c. Panics abort (-C panic=abort); else they end with status 101, and no signal.
use std::ffi::{c_char, c_int, c_void};
use std::hint::black_box;
use std::io::Write;
use std::os::fd::AsRawFd;

extern "C" {
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn mmap(address: *mut c_void, count: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

#[inline(never)]
fn write_null() {
    unsafe { std::ptr::write_volatile(black_box(8usize) as *mut i32, 1) } // CRASH segv, thread, child, fork: write_null
    black_box(1);
}

#[inline(never)]
fn call_null() {
    let function: extern "C" fn() = unsafe { std::mem::transmute(black_box(8usize)) };
    function(); // CRASH call: call_null
    black_box(1);
}

#[inline(never)]
fn give_up() {
    std::process::abort() // CRASH abort: give_up
}

#[inline(never)]
fn check(number: i32) {
    assert!(number == 1); // CRASH assert: check
    black_box(1);
}

#[inline(never)]
fn panics(index: usize) -> Option<i32> {
    let number: Option<i32> = black_box(None);
    Some(number.expect("no such thing") + index as i32) // CRASH exception: panics
}

#[inline(never)]
fn free_twice() {
    let memory = Box::into_raw(Box::new([7u8; 99]));
    drop(unsafe { Box::from_raw(black_box(memory)) });
    drop(unsafe { Box::from_raw(black_box(memory)) }); // CRASH free: free_twice
    black_box(1);
}

#[inline(never)]
#[allow(unconditional_recursion)]
fn deep(n: u64) -> u64 { let room = black_box([n; 64]); deep(n + 1) + room[(n & 63) as usize] } // CRASH overflow: deep

#[inline(never)]
fn divide(number: u64) -> u64 {
    let mut result: u64 = 7;
    unsafe { std::arch::asm!("div {0}", in(reg) number, inout("rax") result, inout("rdx") 0u64 => _) } // CRASH fpe: divide
    result
}

#[inline(never)]
fn read_beyond() -> u8 {
    let path = std::env::temp_dir().join(format!("read-beyond-{}", std::process::id()));
    let file = std::fs::OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let map = unsafe { mmap(std::ptr::null_mut(), 4096, 3, 1, file.as_raw_fd(), 0) } as *const u8;
    unsafe { std::ptr::read_volatile(map.add(7)) } // CRASH bus: read_beyond
}

#[inline(never)]
fn trap() {
    unsafe { std::arch::asm!("ud2") } // CRASH trap: trap
}

#[inline(never)]
fn in_library() {
    let library = unsafe { dlopen(c"./library.so".as_ptr(), 2) };
    let function: extern "C" fn() = unsafe { std::mem::transmute(dlsym(library, c"crash_in_library".as_ptr())) };
    function();
    black_box(1);
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    println!("before {name}");
    std::io::stdout().flush().unwrap();
    match name.as_str() {
        "segv" => write_null(),
        "call" => call_null(),
        "abort" => give_up(),
        "assert" => check(black_box(0)),
        "exception" => { black_box(panics(9)); }
        "free" => free_twice(),
        "overflow" => { black_box(deep(1)); }
        "fpe" => { black_box(divide(black_box(0))); }
        "bus" => { black_box(read_beyond()); }
        "trap" => trap(),
        "thread" => { let _ = std::thread::spawn(|| { write_null(); black_box(1) }).join(); }
        "child" => {
            let _ = std::process::Command::new(std::env::args().next().unwrap()).arg("segv").status();
            std::process::exit(5);
        }
        "fork" => unsafe {
            let child = fork();
            if child == 0 { write_null() }
            let mut status = 0;
            waitpid(child, &mut status, 0);
            std::process::exit(5);
        },
        "library" => in_library(),
        _ => {}
    }
    std::process::exit(3);
}
