internal import BinaryPrimitives
internal import CrashLogModel

extension Response {
    /// A file, or a part of it, as `Range` and `If-Range` want it (RFC 9110, section 14).
    /// - Parameter part: the bytes that are served; `nil` for all.
    static func file(_ file: MappedFile, _ part: Range<Int>? = nil, for request: Request) -> Response {
        let whole = (part ?? 0..<file.size).clamped(to: 0..<file.size)
        let date = file.modificationTime.map(HTTPDate.text)
        var headers = [(name: "Content-Type", value: "application/octet-stream"), ("Accept-Ranges", "bytes"), ("Cache-Control", "public")]
        if let date { headers.append(("Last-Modified", date)) }
        // A client that has the beginning of another version wants all of this one.
        let isOther = request.header("If-Range").map { $0 != date } ?? false
        guard !isOther, let wanted = request.header("Range").flatMap({ ByteRange($0) }) else {
            return Response(200, headers: headers, body: .file(file, whole))
        }
        guard let range = wanted.range(in: whole.count) else {
            return Response(416, headers: [("Content-Range", "bytes */\(whole.count)")])
        }
        headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole.count)"))
        return Response(206, headers: headers, body: .file(file, whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound))
    }
}

/// The one range of a `Range` header: `bytes=0-99`, `bytes=100-`, `bytes=-100` (the last hundred).
struct ByteRange: Hashable {
    private var first: Int?
    private var last: Int?

    /// - Returns: `nil` for several ranges, another unit and what is malformed, which a server may
    ///   leave aside: then the whole file is sent.
    init?(_ text: String) {
        guard text.hasPrefix("bytes=") else { return nil }
        let parts = text.dropFirst("bytes=".utf8.count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy(isDigit) }) else { return nil }
        // More digits than a number has are past every file's end.
        func number(_ digits: Substring) -> Int? { digits.isEmpty ? nil : Int(digits) ?? .max }
        (first, last) = (number(parts[0]), number(parts[1]))
        if let first, let last, first > last { return nil }
        if first == nil, last == nil { return nil }
    }

    /// The bytes of a file of that size.
    /// - Returns: `nil` where none of them is in it.
    func range(in size: Int) -> Range<Int>? {
        guard let first else { return last.flatMap { $0 > 0 && size > 0 ? max(0, size - $0)..<size : nil } }
        guard first < size else { return nil }
        return first..<(last.map { min($0, size - 1) } ?? size - 1) + 1
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `2026-12-03`.
    /// - Parameter seconds: since 1970 (UTC).
    static func day(_ seconds: Int64) -> String { String((Timestamp(secondsSince1970: seconds, text: "").utc ?? "").prefix(10)) }

    /// - Parameter seconds: since 1970 (UTC).
    static func text(_ seconds: Int64) -> String {
        // The year has four digits, up to 9999.
        let seconds = Int(min(max(0, seconds), 253_402_300_799))
        let (day, second) = (seconds / 86_400, seconds % 86_400)
        let date = Timestamp.civil(fromDays: day)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        // 1970-01-01 was a Thursday.
        return "\(days[day % 7]), \(two(date.day)) \(months[date.month - 1]) \(date.year) \(time) GMT"
    }
}
