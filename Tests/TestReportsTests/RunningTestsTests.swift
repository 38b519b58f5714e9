import Testing

@testable import TestReports

@Suite struct RunningTestsTests {
    @Test("tests are named in the order in which they began, the ended ones no more")
    func order() {
        var tests = RunningTests()
        for name in ["a", "b", "c", "d"] { tests.start(name) }
        tests.end("b")
        #expect(tests.names == ["a", "c", "d"] && tests.last == "d")
        tests.end("d")
        tests.end("c")
        #expect(tests.last == "a" && !tests.contains("c") && tests.contains("a"))
        tests.end("a")
        #expect(tests.isEmpty && tests.last == nil && tests.names.isEmpty)
    }

    @Test("of tests with one name, the last ends first")
    func sameName() {
        var tests = RunningTests()
        for name in ["a", "b", "a", "c"] { tests.start(name) }
        tests.end("a")
        #expect(tests.names == ["a", "b", "c"])
        tests.end("a")
        tests.end("a")
        #expect(tests.names == ["b", "c"])
    }

    @Test("a test that was not begun ends none")
    func unknown() {
        var tests = RunningTests()
        tests.start("a")
        tests.end("b")
        #expect(tests.names == ["a"])
    }

    @Test("a long run keeps what runs, and no more than 4,096")
    func limits() {
        var tests = RunningTests()
        tests.start("first")
        for number in 0..<20_000 {
            tests.start("test \(number)")
            if number % 2 == 1 { tests.end("test \(number - 1)") }
            if number % 2 == 1, number > 1 { tests.end("test \(number - 2)") }
        }
        // Even ones end one later, odd ones two later.
        #expect(tests.names == ["first", "test 19999"])
        for number in 0..<5_000 { tests.start("more \(number)") }
        #expect(tests.names.count == 4_096 && tests.last == "more 4093")
        tests.end("more 0")
        tests.start("last")
        #expect(tests.names.count == 4_096 && tests.last == "last")
    }
}
