import BinaryPrimitives
import TestSupport
import Testing

struct FolderReplacementTests {
    private func names(_ folder: String) throws -> [String] { try run("ls", ["-A", folder]).lines }

    @Test func `a folder appears whole, in the place of the one before`() throws {
        try withTemporaryFolder { folder in
            for text in ["first", "second"] {
                var replacement = try FolderReplacement(path: folder + "/pages/")
                try replacement.makeFolder("inner")
                try replacement.write(Array(text.utf8), to: "inner/a")
                if text == "second" { #expect(try readFile(folder + "/pages/inner/a") == Array("first".utf8)) }
                try replacement.finish()
                #expect(try readFile(folder + "/pages/inner/a") == Array(text.utf8))
            }
            #expect(try names(folder) == ["pages"])
            // As a new folder would have it, not as a temporary one.
            let mask = try run("sh", ["-c", "umask"]).lines[0]
            let mode = try run("stat", ["-c", "%a", folder + "/pages"]).lines[0]
            #expect(UInt(mode, radix: 8) == 0o777 & ~(UInt(mask, radix: 8) ?? 0))
        }
    }

    @Test func `what is not finished leaves no trace`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/other", [1])
            do {
                let replacement = try FolderReplacement(path: folder + "/pages")
                try replacement.makeFolder("inner")
                try replacement.write([1], to: "inner/a")
                #expect(try names(folder).count == 2)
            }
            #expect(try names(folder) == ["other"])
        }
    }

    /// As a process that is killed would: nothing ends the first folder's life in order.
    @Test func `what a killed process left behind goes with the next`() throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/.cairn-new-pages/inner")
            try writeFile(folder + "/.cairn-new-pages/inner/half", [1])
            var replacement = try FolderReplacement(path: folder + "/pages")
            try replacement.write([2], to: "whole")
            try replacement.finish()
            #expect(try names(folder) == ["pages"])
            #expect(try names(folder + "/pages") == ["whole"])
        }
    }

    /// The link stays a link, and its target is replaced; links inside of removed folders are not
    /// followed.
    @Test func `links are kept, and not followed`() throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/real", folder + "/precious")
            try writeFile(folder + "/precious/a", [1])
            try run("ln", ["-s", "real", folder + "/link"]).requireSuccess()
            try run("ln", ["-s", folder + "/precious", folder + "/real/inner"]).requireSuccess()
            var replacement = try FolderReplacement(path: folder + "/link")
            try replacement.write([2], to: "b")
            try replacement.finish()
            #expect(try names(folder + "/real") == ["b"])
            #expect(try run("test", ["-L", folder + "/link"]).status == 0)
            #expect(try names(folder + "/precious") == ["a"])
        }
    }

    @Test func `where nothing can be made, that is said`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/file", [1])
            #expect(throws: FileError.self) { _ = try FolderReplacement(path: folder + "/file/pages") }
        }
    }
}
