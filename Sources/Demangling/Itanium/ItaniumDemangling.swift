internal import BinaryPrimitives

/// The plain form of a C++ name with the suffix of the compiler, spelled as LLVM's demangler does;
/// `nil` if it is not well-formed or excessive.
///
/// - `_Z3foov.cold` (gcc's and LLVM's splits and clones of one function: `.cold`, `.isra.0`,
///   `.part.1`, `.lto_priv.0`, `.llvm.123`) → `foo() (.cold)`.
/// - `___Z3foov_block_invoke_2` (a clang block inside a C++ function) →
///   `invocation function for block in foo()`.
///
/// Names that LLVM's demangler reads are read in the same way; a name that it does not read is then
/// tried as gcc's demangler reads it (`ItaniumParser.readsMore`).
/// - Parameter start: Position of the name, after Mach-O's underscore.
func demangleItanium(_ name: [UInt8], from start: Int, limits: Limits) -> String? {
    let cursor = NameCursor(name, from: start)
    var parser = ItaniumParser(cursor, limits: limits)
    var root = try? parser.mangledName()
    if root == nil {
        parser = ItaniumParser(cursor, limits: limits, readsMore: true)
        root = try? parser.mangledName()
    }
    guard let root else { return nil }
    var printer = ItaniumPrinter(parser.cursor, parser.tree, limits: limits)
    return printer.text(of: root)
}
