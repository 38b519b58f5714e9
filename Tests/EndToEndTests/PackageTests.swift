import TestSupport
import Testing

/// Packages that `scripts/release/package` makes of the programs that the tests run: installed,
/// used and removed.
@Suite(.enabled(if: canPackage, "dpkg-deb, dpkg-shlibdeps, objcopy, python3, git, the repository or the build is absent"))
struct PackageTests {
    private static let script = TestPaths.root + "/scripts/release/package"
    private static let folder = String(TestPaths.cairn.dropLast("/cairn".count))

    private func expectSuccess(_ result: RunResult, _ location: SourceLocation = #_sourceLocation) throws {
        try #require(result.status == 0, "\(result.errors)", sourceLocation: location)
    }

    /// The files below a folder, by their paths in it.
    private func files(in folder: String) throws -> [String] {
        try run("find", [".", "-type", "f"], directory: folder).output.split(separator: "\n").map(String.init).sorted()
    }

    /// Uses the programs below a prefix, as somebody does who has just installed them.
    private func use(_ prefix: String, pages: String) throws {
        let cairn = prefix + "/bin/cairn"
        #expect(try run(cairn, ["--version"]).output.hasPrefix("cairn "))
        // Beside it, in libexec.
        #expect(try run(cairn, ["dwarfdump", "--version"]).status == 0)
        let log = TestPaths.fixture("logs/sanitizer-asan/Sanitizers-clang-address/log.txt")
        let objects = TestPaths.fixture("binaries/Sanitizers/out/clang-address")
        let result = try run(
            cairn, ["-q", "--no-local", "-s", objects, log],
            environment: ["CAIRN_SYMBOLS": nil as String?, "XDG_CONFIG_HOME": "/nonexistent"])
        #expect(result.output.contains("store::read(store::Shelf const&, int)"))
        #expect(TestPaths.isReadable(prefix + "/share/man/man1/" + pages))
        #expect(TestPaths.isReadable(prefix + "/share/bash-completion/completions/cairn"))
        // The unstripped programs are three times as large.
        #expect(try !run("readelf", ["--sections", "--wide", cairn]).output.contains(".debug_info"))
    }

    @Test func `packages are made, installed, used and removed`() throws {
        try withTemporaryFolder { folder in
            let output = folder + "/dist"
            try expectSuccess(try run(Self.script, ["--fast", "--binaries", Self.folder, "--output", output]))
            try expectSuccess(try run("sha256sum", ["--check", "--quiet", "SHA256SUMS"], directory: output))
            let made = try files(in: output)
            let package = try #require(made.first { $0.hasSuffix(".deb") })
            let archive = try #require(made.first { $0.contains("-linux-") && $0.hasSuffix(".tar.gz") && !$0.contains("debug") })
            #expect(made.count == 6)

            // Debian's, in a system that has nothing but dpkg's own files.
            let root = folder + "/root"
            try expectSuccess(
                try run(
                    "sh", ["-c", "mkdir -p '\(root)/var/lib/dpkg/info' '\(root)/var/lib/dpkg/updates' && : >'\(root)/var/lib/dpkg/status'"])
            )
            let dpkg = ["--root=" + root, "--force-not-root", "--force-depends", "--force-bad-path"]
            let before = try files(in: root + "/var/..").filter { !$0.hasPrefix("./var/") }
            try expectSuccess(try run("dpkg", dpkg + ["--install", output + "/" + package]))
            try use(root + "/usr", pages: "cairn-batch.1.gz")
            let notices = try run("sh", ["-c", "gzip -dc '\(root)/usr/share/doc/cairn/notices.txt.gz'"]).output
            #expect(notices.contains("swift-nio") && notices.contains("Apache License"))
            try expectSuccess(try run("dpkg", dpkg + ["--purge", "cairn"]))
            #expect(try files(in: root).filter { !$0.hasPrefix("./var/") } == before)

            // The archive, by its own list of files.
            let prefix = folder + "/prefix"
            try expectSuccess(
                try run("sh", ["-c", "mkdir '\(prefix)' && tar -xzf '\(output)/\(archive)' --strip-components=1 -C '\(prefix)'"]))
            try use(prefix, pages: "cairn-batch.1")
            try expectSuccess(try run("sh", ["-c", "xargs rm -d <share/cairn/manifest"], directory: prefix))
            #expect(try files(in: prefix).isEmpty)
        }
    }

    @Test func `a folder without the programs is said first, and nothing is written`() throws {
        try withTemporaryFolder { folder in
            let result = try run(Self.script, ["--binaries", folder, "--output", folder + "/dist"])
            #expect(result.status == 1)
            #expect(result.errors == "package: \(folder)/cairn: not found: expected a program of the build\n")
            #expect(try files(in: folder).isEmpty)
        }
    }

    @Test func `a folder of another version`() throws {
        try withTemporaryFolder { folder in
            let text =
                "cd '\(folder)' && printf '#!/bin/sh\\necho cairn 0.0.0\\n' >cairn && cp cairn cairn-tools && chmod +x cairn*"
                + " && mkdir cairn.product cairn-tools.product && touch cairn.product/Objects.LinkFileList cairn-tools.product/Objects.LinkFileList"
            try expectSuccess(try run("sh", ["-c", text]))
            // Files of an earlier release stay.
            try writeFile(folder + "/dist", [])
            let result = try run(Self.script, ["--binaries", folder, "--output", folder + "/dist"])
            #expect(result.status == 1)
            #expect(result.errors.contains("\(folder)/cairn is “cairn 0.0.0”: expected cairn "))
        }
    }
}

private let canPackage: Bool = {
    let programs = ["dpkg-deb", "dpkg-shlibdeps", "objcopy", "python3", "git"]
    // The inputs of the linker are beside the programs.
    let links = TestPaths.cairn + ".product/Objects.LinkFileList"
    return programs.allSatisfy { CrashingProgram.isInstalled($0) } && TestPaths.isReadable(TestPaths.root + "/.git")
        && TestPaths.isReadable(links)
}()
