#if Inspection && os(Linux)
    import Testing

    @testable import cairn_dwarfdump

    struct WatchdogTests {
        /// 64 MB that are written to are 64 MB more, give or take what other tests take and give back meanwhile.
        @Test func `memory that is used is seen`() throws {
            let usage = try #require(MemoryUsage())
            let before = try #require(usage.bytes())
            let bytes = [UInt8](repeating: 1, count: 64 << 20)
            let after = try #require(usage.bytes())
            #expect(after - before > 32 << 20, "\(before) \(after)")
            #expect(bytes.last == 1)
        }
    }
#endif
