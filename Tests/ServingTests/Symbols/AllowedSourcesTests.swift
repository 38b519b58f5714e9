import SymbolFiles
import Testing

@testable import Serving

struct AllowedSourcesTests {
    private func allows(_ allowed: String, _ server: String) throws -> Bool {
        AllowedSources([try SymbolServer(allowed)]).allows(try SymbolServer(server))
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example"), ("https://a.example", "https://A.example/x/y"),
        ("https://a.example/x", "https://a.example/x/"),
        ("https://a.example:8443/x", "https://a.example:8443/x/y"), ("s3://bucket", "s3://key:secret@bucket/prefix"),
        ("s3://bucket/prefix", "s3://bucket/prefix/deeper"), ("http://minio:9000/bucket", "s3://k:s@bucket/p?endpoint=http://minio:9000"),
        ("s3://bucket?endpoint=http://minio:9000", "s3://bucket/p?endpoint=http://minio:9000/"), ("file:///srv/a", "file:///srv/a/b"),
    ])
    func `a source at or below an allowed URL is allowed`(allowed: String, server: String) throws {
        #expect(try allows(allowed, server))
    }

    @Test(arguments: [
        ("https://a.example", "http://a.example"), ("https://a.example", "https://a.example.evil"),
        ("https://a.example", "https://a.example:8443"),
        ("https://a.example/x", "https://a.example/xy"), ("https://a.example/x", "https://a.example/x/../y"),
        ("https://a.example/x", "https://a.example/x/%2e%2e/y"), ("https://a.example/x", "https://a.example/x/.."),
        ("https://a.example", "https://user@a.example"), ("https://a.example", "https://a.example@evil"),
        ("https://a.example/x", "https://a.example/x?y"), ("s3://bucket", "s3://bucket2"),
        // Amazon's bucket of that name is not the one of another server.
        ("s3://bucket", "s3://bucket?endpoint=http://169.254.169.254"),
        ("http://minio:9000/bucket", "s3://other?endpoint=http://minio:9000"),
        ("http://minio:9000/bucket", "s3://bucket"), ("file:///srv/a", "file:///srv/ab"), ("file:///srv/a", "file:///srv/a/../b"),
    ])
    func `no other source is`(allowed: String, server: String) throws {
        #expect(try !allows(allowed, server))
    }

    @Test func `without a list none is allowed`() throws {
        #expect(try !AllowedSources().allows(SymbolServer("https://a.example")) && AllowedSources().isEmpty)
    }
}
