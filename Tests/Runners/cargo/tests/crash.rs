fn read(value: *const u32) -> u32 {
    unsafe { value.read_volatile() } // fails: crashes
}

#[test]
fn crashes() {
    assert_eq!(read(4 as *const u32), 1);
}
