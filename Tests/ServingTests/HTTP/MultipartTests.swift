import BinaryPrimitives
import Serving
import TestSupport
import Testing

/// Forms against RFC 7578 and RFC 2046, section 5.1.
struct MultipartTests {
    private static let header = "multipart/form-data; boundary=AaB03x"

    /// Lines end as in messages; each field as its name and its content.
    private static func fields(_ body: String, _ contentType: String? = header, _ limits: Limits = .standard) throws -> [String] {
        let bytes = Array(body.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
        let form = try Multipart(bytes.span, contentType: contentType, limits)
        return form.parts.map { "\($0.name ?? "-")=\(String(decoding: bytes[$0.content], as: UTF8.self))" }
    }

    /// The first is the example of RFC 7578's section 4.6, the second of RFC 2046's 5.1.1.
    @Test func `the examples of the standards are read`() throws {
        let form = """
            --AaB03x
            content-disposition: form-data; name="_charset_"

            iso-8859-1
            --AaB03x
            content-disposition: form-data; name="field1"

            ...text encoded in iso-8859-1 ...
            AaB03x--
            --AaB03x--
            """
        #expect(try Self.fields(form) == ["_charset_=iso-8859-1", "field1=...text encoded in iso-8859-1 ...\r\nAaB03x--"])
        let mail = """
            This is the preamble.  It is to be ignored, though it
            is a handy place for composition agents to include an
            explanatory note to non-MIME conformant readers.

            --simple boundary

            This is implicitly typed plain US-ASCII text.
            It does NOT end with a linebreak.
            --simple boundary
            Content-type: text/plain; charset=us-ascii

            This is explicitly typed plain US-ASCII text.
            It DOES end with a linebreak.

            --simple boundary--

            This is the epilogue.  It is also to be ignored.
            """
        #expect(
            try Self.fields(mail, #"multipart/form-data; boundary="simple boundary""#) == [
                "-=This is implicitly typed plain US-ASCII text.\r\nIt does NOT end with a linebreak.",
                "-=This is explicitly typed plain US-ASCII text.\r\nIt DOES end with a linebreak.\r\n",
            ])
    }

    @Test(arguments: [
        // Quoted, with other parameters, in any case.
        (
            #"Multipart/Form-Data ; charset=utf-8; BOUNDARY="AaB03x""#, "--AaB03x\nContent-Disposition: form-data; name=a\n\n1\n--AaB03x--",
            ["a=1"]
        ),
        // Blanks after a boundary (RFC 2046, “transport padding”).
        (header, "--AaB03x \t\nContent-Disposition: form-data; name=a\n\n1\n--AaB03x--  ", ["a=1"]),
        // A line that begins like a boundary is content.
        (header, "--AaB03x\nContent-Disposition: form-data; name=a\n\n1\n--AaB03xyz\n2\n--AaB03x--", ["a=1\r\n--AaB03xyz\r\n2"]),
        // A header that goes on in the next line, and quotes in a name as curl and browsers write
        // them.
        (
            header,
            "--AaB03x\nContent-Type: a/b\nContent-Disposition: form-data;\n name=\"a\\\"b\"; filename=\"c\\\\d;e\"\n\n1\n--AaB03x--",
            ["a\"b=1"]
        ),
        (header, "--AaB03x\nContent-Disposition: form-data; filename=\"name=x\"; name=\"a%22b\"\n\n\n--AaB03x--", ["a%22b="]),
        // No content at all, with and without the empty line; no header at all.
        (header, "--AaB03x\nContent-Disposition: form-data; name=a\n\n--AaB03x--", ["a="]),
        (header, "--AaB03x\nContent-Disposition: form-data; name=a\n--AaB03x--", ["a="]),
        (header, "--AaB03x\n\n1\n--AaB03x--", ["-=1"]), (header, "--AaB03x\n--AaB03x--", ["-="]),
        // Another disposition is no field.
        (header, "--AaB03x\nContent-Disposition: attachment; name=a\n\n1\n--AaB03x--", ["-=1"]),
        (header, "--AaB03x--", []),
    ])
    func `a form's fields are read`(contentType: String, body: String, expected: [String]) throws {
        #expect(try Self.fields(body, contentType) == expected)
    }

    /// RFC 2046, section 5.1.1: “no longer than 70 characters, not counting the two leading hyphens”.
    @Test(arguments: [1, 69, 70]) func `a boundary has up to 70 characters`(count: Int) throws {
        let boundary = String(repeating: "b", count: count)
        let body = "--\(boundary)\nContent-Disposition: form-data; name=a\n\n1\n--\(boundary)--"
        #expect(try Self.fields(body, "multipart/form-data; boundary=\(boundary)") == ["a=1"])
    }

    @Test(arguments: [
        (nil, "--AaB03x--", "expected Content-Type: multipart/form-data"),
        ("application/json", "--AaB03x--", "expected Content-Type: multipart/form-data"),
        ("multipart/mixed; boundary=AaB03x", "--AaB03x--", "expected Content-Type: multipart/form-data"),
        ("multipart/form-data", "--AaB03x--", "Content-Type: expected a boundary of 1 to 70 characters"),
        ("multipart/form-data; boundary=\"\"", "--AaB03x--", "Content-Type: expected a boundary of 1 to 70 characters"),
        ("multipart/form-data; boundary=\"a \"", "--a --", "Content-Type: expected a boundary of 1 to 70 characters"),
        (
            "multipart/form-data; boundary=" + String(repeating: "a", count: 71), "",
            "Content-Type: expected a boundary of 1 to 70 characters"
        ),
        (header, "", "the form’s boundary is not in the body"), (header, "--AaB03", "the form’s boundary is not in the body"),
        // A client that went away: the last boundary is missing.
        (header, "--AaB03x\n", "the form has no end: its last boundary is missing"),
        (header, "--AaB03x\nContent-Disposition: form-data; name=a\n\n1\n--AaB03x", "the form has no end: its last boundary is missing"),
        (header, "--AaB03x\nContent-Disposition: form-data; name=a\n\n1\n--AaB03x-", "the form has no end: its last boundary is missing"),
    ])
    func `what is no form is refused`(contentType: String?, body: String, message: String) {
        #expect(throws: Multipart.Problem(message)) { try Self.fields(body, contentType) }
    }

    @Test func `parts and their headers are capped`() throws {
        var limits = Limits()
        limits.formParts = 2
        let part = "--AaB03x\n\n1\n"
        #expect(try Self.fields(part + part + "--AaB03x--", Self.header, limits).count == 2)
        #expect(throws: Multipart.Problem("expected at most 2 parts in a form")) {
            try Self.fields(part + part + part + "--AaB03x--", Self.header, limits)
        }
        limits.formHeaders = 41
        let field = "--AaB03x\nContent-Disposition: form-data; name=abcd\n\n1\n--AaB03x--"
        #expect(try Self.fields(field, Self.header, limits) == ["abcd=1"])
        limits.formHeaders = 40
        #expect(throws: Multipart.Problem("expected at most 40 bytes of headers in a part of a form")) {
            try Self.fields(field, Self.header, limits)
        }
    }
}
