#if Inspection && os(Linux)
    import Testing

    @testable import cairn_dwarfdump

    struct WatchdogTests {
        /// 64 MB that are written to are 64 MB more, give or take what other tests take and give back meanwhile.
        @Test func `memory that is used is seen`() throws {
            let before = try #require(Watchdog.memory())
            let bytes = [UInt8](repeating: 1, count: 64 << 20)
            let after = try #require(Watchdog.memory())
            #expect(after - before > 32 << 20, "\(before) \(after)")
            #expect(bytes.last == 1)
        }
    }
#endif
