internal import BinaryPrimitives

/// The plain form of a Swift 1 to 3 name; `nil` if it is not well-formed, has an unsupported
/// construct, or is excessive.
/// - Parameter start: Position of `_T`, after Mach-O's underscore.
func demangleSwiftBefore4(_ name: [UInt8], from start: Int, isFull: Bool, limits: Limits) -> String? {
    var parser = SwiftBefore4Parser(NameCursor(name, from: start), limits: limits)
    guard let root = try? parser.mangledName() else { return nil }
    var printer = SwiftBefore4Printer(parser.tree, isFull: isFull, limits: limits)
    return printer.text(of: root)
}
