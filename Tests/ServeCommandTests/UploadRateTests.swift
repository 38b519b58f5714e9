import Testing

@testable import ServeCommand

@Suite struct UploadRateTests {
    /// 3 at once, then 60 a minute: one a second.
    @Test func `a token has so many uploads at once, then so many a minute`() {
        let rate = UploadRate(atOnce: 3, perMinute: 60)
        let begin = ContinuousClock.now
        for _ in 0..<3 { #expect(rate.wait(for: "ci", at: begin) == nil) }
        #expect(rate.wait(for: "ci", at: begin) == 1)
        #expect(rate.wait(for: "nightly", at: begin) == nil, "each token has its own")
        #expect(rate.wait(for: "ci", at: begin + .milliseconds(500)) == 1)
        #expect(rate.wait(for: "ci", at: begin + .seconds(1)) == nil)
        #expect(rate.wait(for: "ci", at: begin + .seconds(1)) == 1)
        // Never more than at once, however long nothing came.
        for _ in 0..<3 { #expect(rate.wait(for: "ci", at: begin + .seconds(3600)) == nil) }
        #expect(rate.wait(for: "ci", at: begin + .seconds(3600)) == 1)
    }
}
