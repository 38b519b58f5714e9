// Panics, and tells its memory map behind the runtime's own words, unless it is called with an argument.
use std::io::Write;

#[inline(never)]
fn crest(heights: &[u32], index: usize) -> u32 {
    heights[index]
}

#[inline(never)]
fn roll(index: usize) -> u32 {
    crest(&[1, 2, 3], index * 2) + 1
}

fn main() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        print(info);
        if std::env::args().count() == 1 {
            let map = std::fs::read("/proc/self/maps").unwrap();
            std::io::stderr().write_all(&map).unwrap();
        }
    }));
    std::process::exit(roll(std::env::args().count() + 3) as i32);
}
