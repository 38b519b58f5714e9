// A library that crash.rs opens. CRASH: see crash.c.
#[inline(never)]
fn write_there() {
    unsafe { std::ptr::write_volatile(std::hint::black_box(8usize) as *mut i32, 1) } // CRASH library: write_there
    std::hint::black_box(1);
}
#[no_mangle]
pub extern "C" fn crash_in_library() {
    write_there();
    std::hint::black_box(1);
}
