import TestSupport
import Testing

@testable import ObjectFiles

/// Thin archives (`ar --thin`): headers alone, the members are files beside the archive.
struct ThinArchiveTests {
    private static let script = """
        mkdir -p lib/deep
        echo 'int one(int n) { return n + 1; }' > lib/one.c
        echo 'int two(int n) { return n * 2; }' > lib/deep/a_member_with_a_name_that_is_long.c
        for f in lib/one lib/deep/a_member_with_a_name_that_is_long; do "$1" -g -c $f.c -o $f.o; done
        """

    @Test(
        .enabled(if: Installed.has("gcc", "clang-19", "ar", "llvm-ar-19"), "gcc, clang-19 or an ar is not installed"),
        arguments: ["ar rcsT", "llvm-ar-19 rcs --thin"], ["gcc", "clang-19 --target=arm64-apple-macos12"])
    func `members are read beside the archive`(command: String, compiler: String) throws {
        try withTemporaryFolder { folder in
            try run("sh", ["-c", Self.script.replacing("\"$1\"", with: compiler)], directory: folder).requireSuccess()
            let members = "lib/one.o lib/deep/a_member_with_a_name_that_is_long.o"
            try run("sh", ["-c", "\(command) libparts.a \(members)"], directory: folder).requireSuccess()
            let archive = folder + "/libparts.a"
            let opened = try #require(try ObjectFiles.openMembers(ofArchive: archive))
            #expect(opened.map(\.member) == ["lib/one.o", "lib/deep/a_member_with_a_name_that_is_long.o"])
            for (_, object) in opened { #expect(try object.get().hasDebugInformation) }
            // As a debug map names a member: by the file's name.
            let found = try ObjectFiles.open(member: "one.o", ofArchive: archive)
            #expect(found.count == 1)
            // Its folder moves with it; without the folder there is a reason.
            try run("sh", ["-c", "mkdir other; mv libparts.a other"], directory: folder).requireSuccess()
            #expect(throws: ObjectFileError.self) { try ObjectFiles.open(member: "one.o", ofArchive: folder + "/other/libparts.a") }
        }
    }
}
