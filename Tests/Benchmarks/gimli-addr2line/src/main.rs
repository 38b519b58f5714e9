//! gimli's addr2line as a whole process: `gimli-addr2line FILE < addresses`, answers in llvm-symbolizer's default style.
//!
//! The outermost function is named by the symbol table, as llvm-symbolizer does (it alone knows `.cold`, `.isra` and
//! `.part` suffixes); without that the answers could not be compared. The file is mapped and its uncompressed sections
//! are read in place, which is the crate's fastest way.
use addr2line::{Context, Location};
use gimli::{EndianSlice, RunTimeEndian};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::os::unix::io::AsRawFd;

type Failure = Box<dyn Error>;

fn map(path: &str) -> Result<&'static [u8], Failure> {
    let file = File::open(path)?;
    let size = file.metadata()?.len() as usize;
    // Mapped for the life of the process and never written to.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
    if start == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error().into());
    }
    Ok(unsafe { std::slice::from_raw_parts(start as *const u8, size) })
}

fn section(file: &object::File<'static>, id: gimli::SectionId, order: RunTimeEndian) -> Result<EndianSlice<'static, RunTimeEndian>, Failure> {
    let bytes: &'static [u8] = match file.section_by_name(id.name()) {
        None => &[],
        Some(section) => match section.uncompressed_data()? {
            Cow::Borrowed(bytes) => bytes,
            Cow::Owned(bytes) => Box::leak(bytes.into_boxed_slice()),
        },
    };
    Ok(EndianSlice::new(bytes, order))
}

fn place(output: &mut impl Write, location: Option<&Location>) -> std::io::Result<()> {
    let file = location.and_then(|it| it.file).unwrap_or("??");
    let line = location.and_then(|it| it.line).unwrap_or(0);
    let column = location.and_then(|it| it.column).unwrap_or(0);
    writeln!(output, "{file}:{line}:{column}")
}

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).ok_or("usage: gimli-addr2line FILE < addresses")?;
    let file = object::File::parse(map(&path)?)?;
    let order = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let context = Context::from_dwarf(gimli::Dwarf::load(|id| section(&file, id, order))?)?;
    let symbols = file.symbol_map();
    let mut output = BufWriter::new(std::io::stdout().lock());

    for line in std::io::stdin().lock().lines() {
        let address = u64::from_str_radix(line?.trim_start_matches("0x"), 16)?;
        let symbol = symbols.get(address).map(|it| it.name());
        let mut frames = context.find_frames(address)?;
        let mut frame = frames.next()?;
        if frame.is_none() {
            writeln!(output, "{}\n??:0:0", symbol.unwrap_or("??"))?;
        }
        while let Some(current) = frame {
            let next = frames.next()?;
            let inlined = next.is_some();
            let own = current.function.as_ref().and_then(|it| it.raw_name().ok());
            let name = if inlined { own.as_deref() } else { symbol.or(own.as_deref()) };
            writeln!(output, "{}", name.unwrap_or("??"))?;
            place(&mut output, current.location.as_ref())?;
            frame = next;
        }
        writeln!(output)?;
    }
    Ok(output.flush()?)
}
