import BinaryPrimitives
import Downloading
import Testing

/// The variables of elfutils' client: debuginfod-client-config(7).
struct FetchSettingsTests {
    @Test func `without variables`() {
        let settings = FetchSettings { _ in nil }
        #expect(settings.timeout == .seconds(90))
        #expect(settings.downloadTime == nil)
        #expect(settings.sizeLimit == Limits.standard.downloadedFile)
        #expect(settings.headers.isEmpty)
    }

    @Test func `with variables`() {
        let variables = ["DEBUGINFOD_TIMEOUT": "5", "DEBUGINFOD_MAXTIME": "7", "DEBUGINFOD_MAXSIZE": "1000", "DEBUGINFOD_RETRY_LIMIT": "0"]
        let settings = FetchSettings { variables[$0] }
        #expect(settings.timeout == .seconds(5))
        #expect(settings.downloadTime == .seconds(7))
        #expect(settings.sizeLimit == 1000)
        #expect(settings.retries == 0)
    }

    /// "Zero or negative means no timeout"; a size or time of 0 "causes no consideration", and the
    /// size then stays under our own cap.
    @Test func `zero means no limit`() {
        let variables = ["DEBUGINFOD_TIMEOUT": "0", "DEBUGINFOD_MAXTIME": "0", "DEBUGINFOD_MAXSIZE": "0"]
        let settings = FetchSettings { variables[$0] }
        #expect(settings.timeout == nil)
        #expect(settings.downloadTime == nil)
        #expect(settings.sizeLimit == Limits.standard.downloadedFile)
        #expect(FetchSettings { _ in "many" }.timeout == .seconds(90))
    }
}
