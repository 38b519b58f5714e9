internal import BinaryPrimitives

/// The tests of a run of ctest, from the log that it writes beside them (`Testing/Temporary/LastTest.log`, `cmCTestRunTest.cxx`). It is
/// complete when ctest has ended, and has the output of all tests, whether ctest prints that or not.
///
///     4/8 Testing: shop.asserts
///     4/8 Test: shop.asserts
///     Command: "/src/shop/build/asserts" "--all"
///     Directory: /src/shop/build
///     "shop.asserts" start time: Nov 29 12:09 UTC
///     Output:
///     ----------------------------------------------------------
///     asserts: /src/shop/asserts.c:4: pop: Assertion `count > 0' failed.
///     <end of output>
struct CTestLog {
    /// The path of each test's program, by the test's name.
    private(set) var programs: [String: String] = [:]
    /// The tests' output, by their names.
    private(set) var outputs: [String: [UInt8]] = [:]

    private static let end = "<end of output>"

    private enum Part { case none, heading, rule, output }

    /// - Parameter tests: those whose output is kept.
    init(_ log: Span<UInt8>, outputsOf tests: Set<String> = []) {
        var rest = log
        var part = Part.none
        var test = ""
        var position = 0
        var start = 0
        while let line = rest.readLine() {
            // The output of a test may have such lines as well.
            switch part {
            case .output:
                if line.hasSuffix(Self.end) {
                    let end = position + line.count - Self.end.utf8.count
                    if tests.contains(test) { outputs[test, default: []].append(copying: log.clamped(to: start..<end)) }
                    part = .none
                }
            case .rule: (part, start) = (.output, log.count - rest.count)
            case .none, .heading:
                if let name = Self.test(line) {
                    (test, part) = (name, .heading)
                } else if part == .heading, let program = Self.program(line) {
                    programs[test] = program
                } else if part == .heading, line.equals("Output:") {
                    part = .rule
                }
            }
            position = log.count - rest.count
        }
    }

    /// `4/8 Test: shop.asserts`
    private static func test(_ line: Span<UInt8>) -> String? {
        var rest = line
        guard rest.readDecimal() != nil, rest.consume("/"), rest.readDecimal() != nil, rest.consume(" Test: "), rest.count > 0 else {
            return nil
        }
        return PlainText.line(rest.text, limit: 1024)
    }

    /// `Command: "/src/shop/build/asserts" "--all"`
    private static func program(_ line: Span<UInt8>) -> String? {
        var rest = line
        guard rest.consume("Command: \""), let end = rest.firstIndex(of: UInt8(ascii: "\"")), end > 0 else { return nil }
        return rest.upTo(end).text
    }
}
