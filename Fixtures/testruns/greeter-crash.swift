import Greeter
import Testing
@Suite struct CrashTests { @Test func outOfBounds() async { _ = head([]) }
 @Test func exits() async { await #expect(processExitsWith: .failure) { _ = head([]) } } }
