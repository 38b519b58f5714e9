//! Prints its stack, panics or crashes, below a method, a closure, a generic function and a library of C; the first argument is the way.
//! STACK has the functions as Rust's runtime names them, innermost first, inlined calls too; FRAME marks the line that each is at.
//! STACK rows: print_rows crane::report crane::grip/rows drum turn crane::through crane::hoist::{{closure}} crane::turn crane::hoist crane::Crane::lift crane::main
//! STACK panic: crane::snap crane::grip/panic crane::hoist::{{closure}} crane::turn crane::hoist crane::Crane::lift crane::main
//! STACK write: crane::spoil crane::grip/write drum turn crane::through crane::hoist::{{closure}} crane::turn crane::hoist crane::Crane::lift crane::main
use std::{ffi::CString, mem::transmute, ptr::read_volatile};

type Callback = extern "C" fn(i32) -> i32;
extern "C" {
    fn print_rows() -> i32;
    fn LoadLibraryA(name: *const i8) -> usize;
    fn GetProcAddress(library: usize, name: *const i8) -> usize;
}

/// Returns its argument, of which the compiler knows nothing afterwards.
fn kept<T: Copy>(value: T) -> T {
    unsafe { read_volatile(&value) }
}

#[inline(always)]
fn report(a: i32) -> i32 {
    let r = unsafe { print_rows() }; // FRAME crane::report
    r + kept(a)
}

#[inline(never)]
fn snap(a: i32) -> i32 {
    panic!("too heavy: {a}"); // FRAME crane::snap
}

#[inline(always)]
fn spoil(a: i32) -> i32 {
    unsafe { *kept(16 as *mut i32) = a }; // FRAME crane::spoil
    a
}

#[inline(never)]
extern "C" fn grip(way: i32) -> i32 {
    let r = match way as u8 {
        b'r' => report(way), // FRAME crane::grip/rows
        b'p' => snap(way), // FRAME crane::grip/panic
        _ => spoil(way), // FRAME crane::grip/write
    };
    kept(r) + 1
}

#[inline(never)]
fn through(library: &str, callback: Callback, way: i32) -> i32 {
    let (library, name) = (CString::new(library).unwrap(), CString::new("turn").unwrap());
    let turn: extern "C" fn(Callback, i32) -> i32 = unsafe { transmute(GetProcAddress(LoadLibraryA(library.as_ptr()), name.as_ptr())) };
    let r = turn(callback, way); // FRAME crane::through
    kept(r) + 1
}

#[inline(never)]
fn turn<F: Fn(i32) -> i32>(callback: F, way: i32) -> i32 {
    let r = callback(way); // FRAME crane::turn
    kept(r) + 1
}

#[inline(never)]
fn hoist(way: i32) -> i32 {
    let library = kept("sheave.dll");
    // A panic prints no bases of libraries: it is not below them.
    let r = turn(#[inline(never)] |way| kept(if way == 'p' as i32 { grip(way) } else { through(library, grip, way) }) + 1, way); // FRAME crane::hoist crane::hoist::{{closure}}
    kept(r) + 1
}

struct Crane(i32);

impl Crane {
    #[inline(never)]
    fn lift(&self, way: i32) -> i32 {
        let r = hoist(way); // FRAME crane::Crane::lift
        kept(r) + self.0
    }
}

fn main() {
    let winch = CString::new("winch.dll").unwrap();
    let crane = Crane((unsafe { LoadLibraryA(winch.as_ptr()) } != 0) as i32);
    let r = crane.lift(std::env::args().nth(1).unwrap().as_bytes()[0] as i32); // FRAME crane::main
    std::process::exit(kept(r));
}
