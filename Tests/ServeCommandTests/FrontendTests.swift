#if Service
    import NIOHTTP1
    import Serving
    import Testing

    @testable import ServeCommand

    @Suite struct FrontendTests {
        /// The forms of RFC 9112, section 3.2, with its examples.
        @Test(arguments: [
            ("/where?q=now", "/where?q=now"), ("http://www.example.org/pub/WWW/TheProject.html", "/pub/WWW/TheProject.html"),
            ("HTTPS://www.example.org", "/"), ("http://www.example.org?q=now", "/?q=now"), ("*", "*"),
            ("/a?u=http://www.example.org/b", "/a?u=http://www.example.org/b"),
        ])
        func `a target may be a whole URL`(_ uri: String, _ target: String) {
            #expect(Frontend.Target(uri).path == target)
        }

        /// RFC 9110, section 5.5: CR, LF and NUL in a value are replaced with spaces, or the message is refused.
        @Test func `a header's value has no controls, and all other bytes`() {
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
            let response = Response(200, headers: [("X-Name", "a\r\nX-Added: \u{0}b\u{7F}é")])
            let sent = SentResponse(response, for: Request("GET", "/"), head, isLast: false)
            #expect(sent.head.headers.map(\.name) == ["X-Name"])
            #expect(sent.head.headers.first { $0.name == "X-Name" }?.value == "a  X-Added:  b é")
        }
    }
#endif
