import BinaryPrimitives
import Serving
import TestSupport
import Testing

struct UploadTokensTests {
    private static let token = "3f0c3e5a9b7d4c1f8a6e2d905b7c4f13"

    private func tokens(_ text: String, mode: String = "600") throws -> (tokens: UploadTokens, path: String) {
        try withTemporaryFolder { folder in
            let path = folder + "/tokens"
            try writeFile(path, Array(text.utf8))
            _ = try run("chmod", [mode, path])
            return (try UploadTokens(path: path), path)
        }
    }

    @Test func `a token belongs to a name`() throws {
        let (tokens, _) = try tokens("# CI\n\nlinux-builds \(Self.token)\r\n  mac-builds\tAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA  \n")
        #expect(tokens.warnings == [] && !tokens.isEmpty)
        #expect(tokens.matches("Bearer " + Self.token) == "linux-builds")
        // RFC 9110, section 11.1: the scheme in any case.
        #expect(tokens.matches("bearer  AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") == "mac-builds")
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Basic 3f0c3e5a9b7d4c1f8a6e2d905b7c4f13", "3f0c3e5a9b7d4c1f8a6e2d905b7c4f13",
        "Bearer 3f0c3e5a9b7d4c1f8a6e2d905b7c4f1", "Bearer 3f0c3e5a9b7d4c1f8a6e2d905b7c4f134", "Bearer 3F0C3E5A9B7D4C1F8A6E2D905B7C4F13",
        "Bearer 3f0c3e5a9b7d4c1f8a6e2d905b7c4f13 x", "Bearer 3f0c3e5a9b7d4c1f8a6e2d905b7c4f13\u{0}", "Bearer linux-builds",
    ])
    func `every other header has none`(header: String?) throws {
        #expect(try tokens("linux-builds \(Self.token)").tokens.matches(header) == nil)
    }

    @Test func `a line may have rights`() throws {
        let text =
            "a \(Self.token)a\nb \(Self.token)b read\nc \(Self.token)c read,upload,admin\nd \(Self.token)d write\ne \(Self.token)e read,\n"
        let (tokens, path) = try tokens(text)
        func rights(_ name: String) -> Set<UploadTokens.Right>? { tokens.holder(of: Self.token + name)?.rights }
        #expect(rights("a") == [.read, .upload] && rights("b") == [.read] && rights("c") == [.read, .upload, .admin])
        #expect(rights("d") == nil && rights("e") == nil)
        #expect(
            tokens.warnings.map { $0.hasPrefix("\(path): line 4 is ignored") || $0.hasPrefix("\(path): line 5 is ignored") } == [
                true, true,
            ])
    }

    @Test func `a long header is no token, and costs nothing`() throws {
        let (tokens, _) = try tokens("a \(Self.token)")
        #expect(tokens.matches("Bearer " + String(repeating: "x", count: 1 << 20)) == nil)
    }

    @Test(arguments: ["640", "604", "644", "620"])
    func `others must not read the file`(mode: String) throws {
        let (tokens, path) = try tokens("a \(Self.token)", mode: mode)
        #expect(tokens.warnings == ["\(path): other users can read or change it. Run: chmod 600 \(path)"])
    }

    @Test func `lines that are no name and token are left aside, and no warning shows a token`() throws {
        let (tokens, _) = try tokens("short abc\none\ntoo many words-of-sixteen-bytes\nok \(Self.token)\n")
        #expect(tokens.warnings.count == 3 && tokens.warnings.allSatisfy { !$0.contains("abc") && !$0.contains("sixteen") })
        #expect(tokens.matches("Bearer " + Self.token) == "ok")
        #expect(tokens.matches("Bearer abc") == nil)
        #expect("\(tokens)" == "1 tokens" && String(reflecting: tokens) == "1 tokens")
    }
}

extension UploadTokens {
    /// The holder of the token in a header.
    fileprivate func matches(_ authorization: String?) -> String? {
        holder(of: Request("PUT", "/", headers: authorization.map { [("Authorization", $0)] } ?? []).token)?.name
    }
}
