internal import BinaryPrimitives

/// A log in which a runner keeps what its tests have printed, whether it shows that or not.
struct TestLog: Sendable, Hashable {
    enum Runner: Sendable { case ctest, meson, automake }

    var runner: Runner
    var path: String

    /// Bytes of a log that are read: it has the output of all tests.
    private static let byteLimit = 64 << 20

    /// The log that ctest writes in a folder: `Test project /src/shop/build`.
    static func ctest(folder: String) -> TestLog { TestLog(runner: .ctest, path: folder + "/Testing/Temporary/LastTest.log") }

    /// The folder in which the compiler ran, from which relative paths of sources count: `../tests/says.c`.
    var buildFolder: String {
        let folder = Path.directory(of: path)
        return switch runner {
        case .automake: folder
        case .meson: Path.directory(of: folder)
        case .ctest: Path.directory(of: Path.directory(of: folder))
        }
    }

    /// The results and the output of tests in a log.
    struct Contents: Sendable {
        var buildFolder = ""
        /// The paths of programs, by their tests' names.
        var programs: [String: String] = [:]
        /// The tests' output.
        var outputs: [String: [UInt8]] = [:]
        /// Numbers of signals that ended tests.
        var signals: [String: Int] = [:]
    }

    /// - Parameter tests: those whose output is kept.
    /// - Returns: nothing where there is no log.
    func contents(outputsOf tests: Set<String> = []) -> Contents {
        let bytes = (try? FileDescriptor.readAll(atPath: path, limit: Self.byteLimit)) ?? []
        var contents: Contents
        switch runner {
        case .ctest:
            let log = CTestLog(bytes.span, outputsOf: tests)
            contents = Contents(programs: log.programs, outputs: log.outputs)
        case .meson: contents = Self.meson(bytes.span, tests)
        case .automake: contents = Self.automake(bytes.span, tests, folder: Path.directory(of: path))
        }
        contents.buildFolder = buildFolder
        return contents
    }

    /// `meson-logs/testlog.txt` (`mesonbuild/mtest.py`), a block for each test:
    ///
    ///     ==================================== 4/8 =====================================
    ///     test:         shop / says
    ///     command:      MALLOC_PERTURB_=188 /src/shop/build/says
    ///     ----------------------------------- stderr -----------------------------------
    ///     ../tests/says.c:16: check failed: price == 5
    ///     ==============================================================================
    private static func meson(_ log: Span<UInt8>, _ tests: Set<String>) -> Contents {
        var contents = Contents()
        var rest = log
        var test: String?
        var isOutput = false
        while let line = rest.readLine() {
            var text = line
            if line.hasPrefix("====") {
                if line.firstIndex(of: 0x20) != nil || ConsoleText.isRule(line, UInt8(ascii: "=")) { (test, isOutput) = (nil, false) }
            } else if !isOutput, text.consume("test: ") {
                test = PlainText.line(text.trimmed().text, limit: 1024)
            } else if let name = test, !isOutput, text.consume("command: ") {
                isOutput = true
                // Variables come before the program.
                contents.programs[name] = text.text.split(separator: " ").first { !$0.contains("=") }.map { String($0) }
            } else if isOutput, let name = test, tests.contains(name) {
                contents.outputs[name, default: []].append(copying: line)
                contents.outputs[name, default: []].append(0x0A)
            }
        }
        return contents
    }

    /// `test-suite.log` (`lib/am/check.am`), a section for each test that failed:
    ///
    ///     FAIL: tests/says
    ///     ================
    ///
    ///     ../tests/says.c:16: check failed: price == 5
    ///     FAIL tests/says (exit status: 1)
    private static func automake(_ log: Span<UInt8>, _ tests: Set<String>, folder: String) -> Contents {
        var contents = Contents()
        var rest = log
        var test: String?
        while let line = rest.readLine() {
            var text = line
            if text.consume("FAIL: ") || text.consume("ERROR: ") || text.consume("XPASS: ") {
                var next = rest
                // The heading is underlined.
                if let rule = next.readLine(), rule.count == line.count, rule.hasPrefix("====") {
                    let name = PlainText.line(text.text, limit: 1024)
                    test = name
                    contents.programs[name] = Path.join(folder, name)
                    continue
                }
            }
            guard let name = test else { continue }
            text = line
            if text.consume("FAIL ") || text.consume("ERROR "), text.hasPrefix(name), let mark = text.lastRange(of: " (exit status: ") {
                var number = text.from(mark.upperBound)
                // The shell's number of a process that a signal ended.
                if let status = number.readDecimal().flatMap({ Int(exactly: $0) }), (129...192).contains(status) {
                    contents.signals[name] = status - 128
                }
                test = nil
            } else if tests.contains(name) {
                contents.outputs[name, default: []].append(copying: line)
                contents.outputs[name, default: []].append(0x0A)
            }
        }
        return contents
    }
}
