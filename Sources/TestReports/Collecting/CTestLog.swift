internal import BinaryPrimitives

/// The programs of ctest's tests, from the log that ctest writes beside its tests (`Testing/Temporary/LastTest.log`,
/// `cmCTestTestHandler.cxx`). It is complete when ctest has ended.
///
///     4/8 Testing: shop.asserts
///     4/8 Test: shop.asserts
///     Command: "/src/shop/build/asserts" "--all"
///     Directory: /src/shop/build
///     "shop.asserts" start time: Nov 29 12:09 UTC
///     Output:
struct CTestLog {
    /// The path of each test's program, by the test's name.
    private(set) var programs: [String: String] = [:]

    /// Bytes of a log that are read: it has the output of all tests.
    private static let byteLimit = 64 << 20

    /// - Parameter folder: the one that ctest has printed: `Test project /src/shop/build`. Without a log in it no test has a
    ///   program.
    init(folder: String) {
        let path = folder + "/Testing/Temporary/LastTest.log"
        let bytes = (try? FileDescriptor.readAll(atPath: path, limit: Self.byteLimit)) ?? []
        self.init(bytes.span)
    }

    init(_ log: Span<UInt8>) {
        var rest = log
        var test: String?
        while let line = rest.readLine() {
            // The output of a test may have such lines as well: the command is below the test's name.
            if let name = Self.test(line) {
                test = name
            } else {
                if let name = test, let program = Self.program(line) { programs[name] = program }
                test = nil
            }
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
