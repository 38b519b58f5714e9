import BinaryPrimitives
import CrashReports
import TestSupport
import Testing

/// A `.ips` that is cut off at each of its bytes: the threads, frames and images that were complete.
struct CutDocumentsTests {
    static let samples = [
        "damaged/truncated.ips", "damaged/truncated-in-images.ips", "logs/apple-ips/CrashExample-bad-access/bad-access.ips",
        "logs/apple-ips/CrashExample-beta/beta.ips", "logs/apple-ips/CrashExample-exception/exception.ips",
    ]

    @Test(arguments: samples) func `a document cut anywhere has what was complete`(name: String) throws {
        let bytes = TestPaths.bytes(of: TestPaths.fixture(name))
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
            #expect(found.allFrames.map(\.place) == whole.allFrames.prefix(completeFrames).map(\.place), "cut at \(length)")
            #expect(found.images.map(\.id) == whole.images.prefix(completeImages).map(\.id), "cut at \(length)")
            #expect(found.threads.count >= threads.count { $0 <= length }, "cut at \(length)")
            // A frame counts from its image's first byte.
            if completeImages == images.count {
                #expect(found.allFrames.map(\.address) == whole.allFrames.prefix(completeFrames).map(\.address), "cut at \(length)")
            }
        }
    }

    /// Where the objects end that are elements of the arrays with these keys: by brackets alone.
    private static func ends(of keys: Set<String>, in bytes: [UInt8]) -> [Int] {
        var (ends, open, key, string): ([Int], [(isArray: Bool, key: String)], String, [UInt8]) = ([], [], "", [])
        var (isInString, isEscaped, isKey) = (false, false, false)
        for (index, byte) in bytes.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    isKey = true
                } else {
                    string.append(byte)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): (isInString, string) = (true, [])
            case UInt8(ascii: ":"): if isKey { key = String(decoding: string, as: UTF8.self) }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                open.append((byte == UInt8(ascii: "["), key))
                key = ""
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                let closed = open.popLast()
                if closed?.isArray == false, let array = open.last, array.isArray, keys.contains(array.key) { ends.append(index + 1) }
            default: break
            }
            if byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ":") { isKey = false }
        }
        return ends
    }
}
