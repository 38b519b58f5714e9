// A ledger with ten bugs, one for each name: ledger BUG.
// Lines that begin with //+N are part of version N and later, with //-N of those before N; `make-version` makes one of them.
use std::cell::RefCell;
use std::collections::HashMap;
use std::hint::black_box;

//+2 /// Of no use to any bug: it moves what follows.
//+2 #[inline(never)]
//+2 fn padding(value: u64) -> u64 {
//+2     (0..7).fold(value, |sum, step| sum.wrapping_mul(31).wrapping_add(step))
//+2 }

/// What many bugs have in common: where conditions are checked.
fn require(condition: bool, what: &str) {
    //+2 black_box(padding(what.len() as u64));
    if !condition {
        panic!("not so: {what}");
    }
}

struct Entry {
    amount: i64,
    owner: Option<String>,
}

struct Account {
    entries: Vec<Entry>,
}

impl Account {
    fn entry(&self, index: usize) -> i64 {
        self.entries[index].amount + 1
    }
    //+3 fn len(&self) -> usize {
    //+3     self.entries.len()
    //+3 }
    fn owner(&self, index: usize) -> usize {
        self.entries[index].owner.as_ref().unwrap().len()
    }
    fn close(&self) {
        require(self.entries.is_empty(), "the account is empty");
        black_box(self.entries.len());
    }
    fn audit(&self) {
        require(self.entries.len() > 9, "there is enough to audit");
        black_box(self.entries.len());
    }
}

struct Rate<T> {
    parts: T,
}

impl<T: Copy + std::ops::Div<Output = T>> Rate<T> {
    fn share(&self, sum: T) -> T {
        sum / self.parts
    }
}

fn shares(rates: &[i64]) -> i64 {
    rates.iter().map(|rate| Rate { parts: *rate }.share(100)).sum()
}

fn parse(texts: &[&str]) -> i64 {
    texts.iter().map(|text| text.parse::<i64>().expect("a number")).sum()
}

struct Book {
    pages: RefCell<Vec<i64>>,
}

impl Book {
    fn copy(&self) -> usize {
        let mut pages = self.pages.borrow_mut();
        pages.push(self.total());
        pages.len()
    }
    fn total(&self) -> i64 {
        self.pages.borrow().iter().sum()
    }
}

fn read_raw(address: usize) -> i64 {
    let pointer = address as *const i64;
    unsafe { pointer.read_volatile() + 1 }
}

fn write_raw(address: usize) -> i64 {
    let pointer = address as *mut i64;
    unsafe { pointer.write_volatile(1) };
    1
}

fn raw_transfer(from: usize, to: usize) -> i64 {
    let kept = black_box(1i64);
    let sum = if from != 0 { read_raw(from) } else { 0 };
    sum + write_raw(to) + kept
}

fn slice_of(text: &str, end: usize) -> usize {
    text[..end].len()
}

type Handler = Box<dyn Fn() -> i64>;

struct Dispatcher {
    handlers: HashMap<&'static str, Handler>,
}

impl Dispatcher {
    //+3 #[inline(never)]
    //+3 fn timed(&self, handler: &Handler) -> i64 {
    //+3     let result = handler();
    //+3     result + padding(3) as i64
    //+3 }
    fn dispatch(&self, name: &str) -> i64 {
        let Some(handler) = self.handlers.get(name) else { std::process::exit(64) };
        //-3 let result = handler();
        //+3 let result = self.timed(handler);
        black_box(result) + 1
    }
}

fn account() -> Account {
    black_box(Account { entries: vec![Entry { amount: 1, owner: None }] })
}

fn add_handlers(dispatcher: &mut Dispatcher) {
    let handlers = &mut dispatcher.handlers;
    handlers.insert("index", Box::new(|| account().entry(black_box(7))));
    handlers.insert("unwrap", Box::new(|| account().owner(black_box(0)) as i64));
    handlers.insert("require-close", Box::new(|| { account().close(); 1 }));
    handlers.insert("require-audit", Box::new(|| { account().audit(); 1 }));
    handlers.insert("divide", Box::new(|| shares(black_box(&[1, 0]))));
    handlers.insert("parse", Box::new(|| parse(black_box(&["1", "x"]))));
    handlers.insert("borrow", Box::new(|| black_box(Book { pages: RefCell::new(vec![1]) }).copy() as i64));
    handlers.insert("raw-read", Box::new(|| raw_transfer(black_box(8), black_box(16))));
    handlers.insert("raw-write", Box::new(|| raw_transfer(black_box(0), black_box(16))));
    handlers.insert("slice", Box::new(|| slice_of(black_box("grüße"), black_box(3)) as i64));
}

//+2 fn greet(name: &str) {
//+2     if black_box(false) {
//+2         println!("{name} begins");
//+2     }
//+2 }

fn main() {
    let Some(name) = std::env::args().nth(1) else { return };
    let mut dispatcher = Dispatcher { handlers: HashMap::new() };
    add_handlers(&mut dispatcher);
    //+2 greet(&name);
    println!("{}", dispatcher.dispatch(&name));
}
