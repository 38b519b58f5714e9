package import BinaryPrimitives

/// A form as browsers and HTTP clients send it: `multipart/form-data` (RFC 7578), in the syntax of
/// RFC 2046, section 5.1.
///
///     --AaB03x
///     Content-Disposition: form-data; name="options"
///
///     {"dif_candidates":true}
///     --AaB03x
///     Content-Disposition: form-data; name="upload_file_minidump"; filename="a.dmp"
///
///     MDMP…
///     --AaB03x--
package struct Multipart: Sendable {
    package struct Part: Sendable, Hashable {
        /// Name of the field; `nil` for a part that is not a field.
        package var name: String?
        /// Name of the file that the client sends, without directories; `nil` for other fields.
        package var fileName: String?
        /// The content's bytes in the body.
        package var content: Range<Int>
    }

    package private(set) var parts: [Part] = []

    /// Why a body is no form, in one sentence.
    package struct Problem: Error, Hashable {
        package var message: String

        package init(_ message: String) { self.message = message }
    }

    /// - Parameter contentType: `multipart/form-data; boundary=AaB03x`.
    package init(_ body: Span<UInt8>, contentType: String?, _ limits: Limits = .standard) throws(Problem) {
        guard let header = contentType.map({ HeaderParameters($0) }), header.value.lowercased() == "multipart/form-data" else {
            throw Problem("expected Content-Type: multipart/form-data")
        }
        guard let boundary = header["boundary"], Self.isBoundary(boundary) else {
            throw Problem("Content-Type: expected a boundary of 1 to 70 characters")
        }
        // Text in front of the first delimiter is for people whose mailer knows no forms.
        guard var next = Self.delimiter(boundary, in: body, from: 0) else { throw Problem("the form’s boundary is not in the body") }
        while !next.isLast {
            guard parts.count < limits.formParts else { throw Problem("expected at most \(limits.formParts) parts in a form") }
            let start = next.end
            // The line's end belongs to the delimiter after it, where a part is empty.
            guard let following = Self.delimiter(boundary, in: body, from: start - 2) else {
                throw Problem("the form has no end: its last boundary is missing")
            }
            parts.append(try Self.part(start..<max(start, following.start), of: body, limits))
            next = following
        }
    }

    /// Letters, digits and `'()+_,-./:=?` and blanks, but none at the end.
    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.last != UInt8(ascii: " ")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "'()+_,-./:=? ".utf8.contains(byte)
                }
            }
    }

    /// A line of two hyphens and the boundary, with the line's end before it.
    private struct Delimiter {
        var start: Int
        var end: Int
        /// Two hyphens follow: what is after it is no part.
        var isLast: Bool
    }

    private static func delimiter(_ boundary: String, in body: Span<UInt8>, from start: Int) -> Delimiter? {
        var position = start
        if position == 0, body.hasPrefix("--" + boundary), let found = delimiter(in: body, 0, after: 2 + boundary.utf8.count) {
            return found
        }
        while let found = body.firstRange(of: "\r\n--" + boundary, from: position) {
            if let delimiter = delimiter(in: body, found.lowerBound, after: found.upperBound) { return delimiter }
            position = found.lowerBound + 1
        }
        return nil
    }

    /// - Returns: `nil` where the line goes on: it is content that begins like the boundary.
    private static func delimiter(in body: Span<UInt8>, _ start: Int, after boundary: Int) -> Delimiter? {
        if body.from(boundary).hasPrefix("--") { return Delimiter(start: start, end: boundary + 2, isLast: true) }
        var end = boundary
        while body.at(end).map(isBlank) == true { end += 1 }
        return body.from(end).hasPrefix("\r\n") ? Delimiter(start: start, end: end + 2, isLast: false) : nil
    }

    /// Headers, an empty line, and the content. Without an empty line there is no content.
    private static func part(_ range: Range<Int>, of body: Span<UInt8>, _ limits: Limits) throws(Problem) -> Part {
        let start = range.lowerBound
        let head = body.clamped(to: start..<min(range.upperBound, start + limits.formHeaders + 4))
        if head.hasPrefix("\r\n") { return Part(content: start + 2..<range.upperBound) }
        let blank = head.firstRange(of: "\r\n\r\n")
        guard blank != nil || range.count <= limits.formHeaders else {
            throw Problem("expected at most \(limits.formHeaders) bytes of headers in a part of a form")
        }
        let headers = head.upTo(blank?.lowerBound ?? head.count)
        let field = disposition(headers)
        return Part(
            name: field?["name"], fileName: field?["filename"].map { Path.foreignName(of: $0) },
            content: (blank.map { start + $0.upperBound } ?? range.upperBound)..<range.upperBound)
    }

    /// The header `Content-Disposition: form-data; name="options"`.
    private static func disposition(_ headers: Span<UInt8>) -> HeaderParameters? {
        var rest = headers
        var lines: [String] = []
        while let line = rest.readLine()?.text {
            // A line that begins with a blank goes on with the one before it (RFC 5322, 2.2.3).
            if line.utf8.first.map(isBlank) == true, let last = lines.popLast() { lines.append(last + line) } else { lines.append(line) }
        }
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == "content-disposition" else { continue }
            let header = HeaderParameters(String(parts[1]))
            return header.value.lowercased() == "form-data" ? header : nil
        }
        return nil
    }
}
