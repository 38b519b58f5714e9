#if Service
    import NIOHTTP1
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
            #expect(Frontend.target(of: HTTPRequestHead(version: .http1_1, method: .GET, uri: uri)) == target)
        }
    }
#endif
