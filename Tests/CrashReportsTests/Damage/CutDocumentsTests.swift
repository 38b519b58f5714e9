import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// A `.ips` that is cut off at each of its bytes: the threads, frames and images that were
/// complete.
struct CutDocumentsTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]

        init(fixture: String) {
            testDescription = fixture
            bytes = TestPaths.bytes(of: TestPaths.fixture(fixture))
        }

        init(_ name: String, _ text: String) {
            testDescription = name
            bytes = Array(text.utf8)
        }
    }

    static let samples = [
        Sample(fixture: "damaged/truncated.ips"), Sample(fixture: "damaged/truncated-in-images.ips"),
        Sample(fixture: "logs/apple-ips/CrashExample-bad-access/bad-access.ips"), Sample("an exception on one line", exception),
    ]

    /// The stack of an exception comes before the threads.
    private static let exception = """
        {"app_name":"Demo","bug_type":"309","os_version":"macOS 13.1 (22C65)","incident_id":"5D7B1E0C"}
        {"pid":77,"procName":"Demo","lastExceptionBacktrace":[{"imageOffset":36332,"imageIndex":1},{"imageOffset":1016,"imageIndex":0}],\
        "faultingThread":0,"threads":[{"id":1,"triggered":true,"threadState":{"flavor":"ARM_THREAD_STATE64"},"frames":[\
        {"imageOffset":980,"imageIndex":0},{"imageOffset":1032,"imageIndex":0}]},{"id":2,"frames":[{"imageOffset":936,"imageIndex":0}]}],\
        "usedImages":[{"arch":"arm64","base":4372791296,"size":16384,"uuid":"4c4c44f6-5555-3144-a1c7-8f23af66dda8","name":"Demo"},\
        {"arch":"arm64e","base":7541030912,"size":622592,"uuid":"11111111-2222-3333-8444-555555555555","name":"dyld"}],"vmSummary":"…"}

        """

    @Test(arguments: samples) func `a document cut anywhere has what was complete`(sample: Sample) throws {
        let bytes = sample.bytes
        let whole = try #require(CrashLog.parse(bytes.span).reports.first)
        let frames = Self.ends(of: ["frames", "lastExceptionBacktrace"], in: bytes)
        let images = Self.ends(of: ["usedImages"], in: bytes)
        let threads = Self.ends(of: ["threads"], in: bytes)
        #expect(whole.allFrames.count == frames.count && whole.images.count == images.count && !frames.isEmpty)
        for length in 0..<bytes.count {
            let report = CrashLog.parse(bytes.span.clamped(to: 0..<length)).reports.first
            let (completeFrames, completeImages) = (frames.count { $0 <= length }, images.count { $0 <= length })
            guard completeFrames > 0 else {
                #expect(report == nil, "cut at \(length)")
                continue
            }
            let found = try #require(report, "cut at \(length)")
            #expect(found.allFrames.map(\.range) == whole.allFrames.prefix(completeFrames).map(\.range), "cut at \(length)")
            #expect(found.images.map(\.id) == whole.images.prefix(completeImages).map(\.id), "cut at \(length)")
            #expect(found.threads.count >= threads.count { $0 <= length }, "cut at \(length)")
            // A frame counts from its image's first byte.
            if completeImages == images.count {
                #expect(found.allFrames.map(\.address) == whole.allFrames.prefix(completeFrames).map(\.address), "cut at \(length)")
            }
        }
    }

    /// Ends of the objects that are elements of the arrays with these keys: found by brackets
    /// alone.
    private static func ends(of keys: Set<String>, in bytes: [UInt8]) -> [Int] {
        var (ends, open, key, string): ([Int], [(isArray: Bool, key: String)], String, [UInt8]) = ([], [], "", [])
        var (isInString, isEscaped) = (false, false)
        for (index, byte) in bytes.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                } else {
                    string.append(byte)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): (isInString, string) = (true, [])
            case UInt8(ascii: ":"): key = String(decoding: string, as: UTF8.self)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                open.append((byte == UInt8(ascii: "["), key))
                key = ""
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                let closed = open.popLast()
                if closed?.isArray == false, let array = open.last, array.isArray, keys.contains(array.key) { ends.append(index + 1) }
            default: break
            }
        }
        return ends
    }
}
