#if os(Linux)
    import Testing

    @testable import DwarfdumpCommand

    struct WatchdogTests {
        /// 64 MB that are written to are 64 MB more. In a process of its own: beside it, other
        /// tests take and give back as much at any time.
        @Test func `memory that is used is seen`() async {
            await #expect(processExitsWith: .success) {
                let usage = try #require(MemoryUsage())
                let before = try #require(usage.bytes())
                let bytes = [UInt8](repeating: 1, count: 64 << 20)
                let after = try #require(usage.bytes())
                #expect(after - before > 60 << 20, "\(before) \(after)")
                #expect(bytes.last == 1)
            }
        }
    }
#endif
