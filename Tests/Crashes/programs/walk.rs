// Calls itself through several functions, as deep as its argument says, and panics: `RUST_BACKTRACE=full` then prints addresses alone where the program is stripped.
use std::hint::black_box;

#[inline(never)]
fn count(numbers: &[i32], depth: i32) -> i32 {
    if depth <= 0 {
        return numbers[black_box(numbers.len() + 1)] + 1;
    }
    let rest = weigh(numbers, depth - 1);
    black_box(rest) + 1
}

#[inline(never)]
fn weigh(numbers: &[i32], depth: i32) -> i32 {
    let rest = if depth % 3 == 0 { sort(numbers, depth) } else { count(numbers, depth - 1) };
    black_box(rest) + 2
}

#[inline(never)]
fn sort(numbers: &[i32], depth: i32) -> i32 {
    let mut ordered = numbers.to_vec();
    ordered.sort_by(|left, right| {
        // Called by the standard library, below frames of it.
        let rest = count(&[*left, 5, 2], depth - 1);
        black_box(rest);
        left.cmp(right)
    });
    black_box(ordered[0])
}

#[inline(never)]
fn added(depth: i32) -> String {
    format!("{depth} {:?}", black_box(vec![depth; 3]))
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    std::fs::write(&words[1], std::fs::read("/proc/self/maps").unwrap()).unwrap();
    let seed: i32 = words[3].parse().unwrap();
    if cfg!(other) {
        println!("{}", added(seed));
    }
    let sum = count(&[3, 1, 2], seed % 11 + 1);
    black_box(sum);
}
