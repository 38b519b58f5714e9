/// Writes nested scopes, as LLVM prints tables of names.
final class ScopeWriter {
    let output: DumpOutput
    private var depth = 0

    init(_ output: DumpOutput) { self.output = output }

    /// Begins a line.
    func start() { output.spaces(2 * depth) }

    func line(_ text: String) {
        start()
        output.text(text)
        output.byte(0x0a)
    }

    /// `name {` or `name [`, what is in it, and the closing brace.
    func scope(_ name: String, isList: Bool = false, _ body: () -> Void) {
        line(name + (isList ? " [" : " {"))
        depth += 1
        body()
        depth -= 1
        line(isList ? "]" : "}")
    }

    /// As titles have numbers.
    static func lowerHex(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }

    /// As values have them.
    static func hex(_ value: UInt64) -> String { "0x" + String(value, radix: 16, uppercase: true) }
}
