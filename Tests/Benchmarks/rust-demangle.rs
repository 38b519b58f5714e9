// Rust's own demangler as a filter: `rust-demangle [full] < NAMES`. It is the crate that the standard library prints backtraces with, which is among
// the compiler's libraries and may be used with RUSTC_BOOTSTRAP=1.
#![feature(rustc_private)]
extern crate rustc_demangle;

use std::io::{self, BufRead, BufWriter, Write};

fn main() -> io::Result<()> {
    let full = std::env::args().nth(1).as_deref() == Some("full");
    let mut output = BufWriter::new(io::stdout());
    for line in io::stdin().lock().lines() {
        let line = line?;
        match rustc_demangle::try_demangle(&line) {
            Ok(name) if full => writeln!(output, "{name}")?,
            Ok(name) => writeln!(output, "{name:#}")?,
            Err(_) => writeln!(output, "{line}")?,
        }
    }
    output.flush()
}
