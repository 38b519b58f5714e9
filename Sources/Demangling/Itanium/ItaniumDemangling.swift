internal import BinaryPrimitives

/// The plain form of a C++ name with what a compiler hung onto it, worded as LLVM's demangler does; `nil` if it is not well-formed or excessive.
///
/// - `_Z3foov.cold` (gcc's and LLVM's splits and clones of one function: `.cold`, `.isra.0`, `.part.1`, `.lto_priv.0`, `.llvm.123`) → `foo() (.cold)`.
/// - `___Z3foov_block_invoke_2` (a clang block inside a C++ function) → `invocation function for block in foo()`.
/// - Parameter start: where the name begins, behind Mach-O's underscore.
func demangleItanium(_ name: [UInt8], from start: Int, limits: Limits) -> String? {
    var parser = ItaniumParser(NameCursor(name, from: start), limits: limits)
    guard let root = try? parser.mangledName() else { return nil }
    var printer = ItaniumPrinter(parser.cursor, parser.tree, limits: limits)
    return printer.text(of: root)
}
