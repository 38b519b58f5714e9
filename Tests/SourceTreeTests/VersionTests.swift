import Console
import TestSupport
import Testing

/// The version is typed once in the sources, and the changelog and the tags of releases agree with
/// it.
@Suite struct VersionTests {
    @Test func `the newest heading of the changelog is the version`() throws {
        let changelog = String(decoding: TestPaths.bytes(of: TestPaths.root + "/CHANGELOG.md"), as: UTF8.self)
        let heading = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") })
        let version = try #require(heading.dropFirst("## ".count).split { $0 == " " || $0 == "," }.first)
        #expect(version == cairnVersion)
    }

    /// A commit that is a release has a tag, `v0.1.0`.
    @Test func `a release is tagged as it calls itself`() throws {
        let tags = try run("git", ["-C", TestPaths.root, "tag", "--points-at", "HEAD", "--list", "v[0-9]*"])
        for tag in tags.lines { #expect(tag == "v" + cairnVersion) }
    }

    @Test func `no other file of the sources has the version`() throws {
        let typed = TestPaths.files(under: TestPaths.root + "/Sources").filter { path in
            path.hasSuffix(".swift") && String(decoding: TestPaths.bytes(of: path), as: UTF8.self).contains(cairnVersion)
        }
        #expect(typed.map { $0.dropFirst(TestPaths.root.count) } == ["/Sources/Console/Version.swift"])
    }
}
