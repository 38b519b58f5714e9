pub fn price(items: &[u32], item: usize) -> u32 {
    items[item] // fails: tests::indexes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up() {
        assert_eq!(1 + 1, 2);
    }

    #[test]
    fn totals() {
        assert_eq!(2 + 2, 5); // fails: tests::totals
    }

    #[test]
    fn indexes() {
        price(&[1], 7);
    }

    #[test]
    fn unwraps() {
        let none: Option<u32> = None;
        none.unwrap(); // fails: tests::unwraps
    }

    #[test]
    fn gives_up() {
        panic!("no way on"); // fails: tests::gives_up
    }

    #[test]
    fn is_true() {
        assert!(1 > 2, "it is not"); // fails: tests::is_true
    }

    // no line: tests::errs: an error that a test returns has no line
    #[test]
    fn errs() -> Result<(), String> {
        Err("odd".into())
    }

    #[test]
    #[should_panic]
    fn must_panic() {} // fails: tests::must_panic
}
