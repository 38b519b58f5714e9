import Testing

@testable import DWARF

struct OriginKeysTests {
    @Test func `an entry has the key that was kept for it, or none`() {
        var keys = OriginKeys()
        // More entries than places: those that are left have their own keys.
        for entry in 0..<10_000 as Range<UInt32> { keys.keep(entry * 3, of: entry * 7) }
        var found = 0
        for entry in 0..<70_000 as Range<UInt32> {
            guard let key = keys.key(of: entry) else { continue }
            found += 1
            #expect(entry % 7 == 0 && key == entry / 7 * 3)
        }
        #expect(found > 0 && found <= 4096)
        keys.removeAll()
        #expect((0..<70_000 as Range<UInt32>).allSatisfy { keys.key(of: $0) == nil })
        #expect(keys.key(of: .max) == nil)
    }
}
