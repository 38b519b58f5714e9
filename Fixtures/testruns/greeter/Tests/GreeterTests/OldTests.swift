import Greeter
import XCTest

final class OldTests: XCTestCase {
    func testPasses() { XCTAssertEqual(greet("a"), "Hello, a") }
    func testFails() {
        XCTAssertEqual(greet("a"), "Bye, <b>&\"a\"", "two\nlines")
    }
    func testThrows() throws {
        struct Odd: Error { var text = "]]>" }
        throw Odd()
    }
}
