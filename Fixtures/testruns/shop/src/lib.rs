pub fn pop(values: &[i32]) -> i32 { values[0] }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes() { assert_eq!(pop(&[1]), 1); }

    #[test]
    fn fails() { assert_eq!(pop(&[1, 2]), 2, "the first"); }

    #[test]
    fn crashes() { pop(&[]); }

    #[test]
    fn errs() -> Result<(), String> { Err("odd".to_string()) }

    #[test]
    #[should_panic]
    fn must_panic() { pop(&[1]); }
}
