import Greeter
import Testing

@Suite struct NewTests {
    @Test func passes() { #expect(greet("a") == "Hello, a") }
    @Test func fails() {
        #expect(greet("a") == "Bye, a", "words\nof ours")
    }
    @Test("shown: 100%, <b>", arguments: [1, 2]) func many(_ n: Int) { #expect(n == 1) }
    @Test func records() { Issue.record("recorded ::error::x") }
    @Test func known() { withKnownIssue { #expect(Bool(false)) } }
    @Test func throwsError() throws { struct Odd: Error {}; throw Odd() }
    @Test(.disabled("later")) func off() {}
}
@Test func free() throws { _ = try #require([Int]().first) }
