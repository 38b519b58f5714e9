import BinaryPrimitives
import LibC
import TestSupport
import Testing

@testable import Downloading

struct DownloadSpaceTests {
    /// Four files of a megabyte, used one to four hours ago.
    private func fill(_ root: String) throws {
        for number in 1...4 {
            let folder = "\(root)/5e12e5/\(number)"
            _ = try run("mkdir", ["-p", folder])
            try writeFile(folder + "/debuginfo", [UInt8](repeating: 1, count: 1 << 20))
            _ = try run("touch", ["-d", "\(number) hours ago", folder + "/debuginfo"])
        }
    }

    @Test func `files that were used least recently are removed, and their folders`() throws {
        try withTemporaryFolder { root in
            try fill(root)
            #expect(DownloadSpace.removeOldest(in: [root], above: 4 << 20, downTo: 0) == 4 << 20)
            #expect(TestPaths.files(under: root).count == 4)
            #expect(DownloadSpace.removeOldest(in: [root], above: 3 << 20, downTo: 2 << 20) == 2 << 20)
            #expect(TestPaths.files(under: root).sorted() == ["\(root)/5e12e5/1/debuginfo", "\(root)/5e12e5/2/debuginfo"])
            #expect(try Directory.names(in: root + "/5e12e5").sorted() == ["1", "2"])
        }
    }

    @Test func `a file that was just used stays`() throws {
        try withTemporaryFolder { root in
            try fill(root)
            _ = try run("touch", ["-a", root + "/5e12e5/4/debuginfo"])
            #expect(DownloadSpace.removeOldest(in: [root], above: 0, downTo: 0) == 1 << 20)
            #expect(TestPaths.files(under: root) == ["\(root)/5e12e5/4/debuginfo"])
        }
    }

    @Test func `what is no download stays`() throws {
        try withTemporaryFolder { root in
            try makeFolders(root + "/mine", root + "/ab")
            for path in ["cache_miss_s", "mine/notes.txt", "ab/debuginfo"] {
                try writeFile("\(root)/\(path)", [1])
                _ = try run("touch", ["-d", "2 hours ago", "\(root)/\(path)"])
            }
            #expect(DownloadSpace.removeOldest(in: [root], above: 0, downTo: 0) == 0)
            #expect(TestPaths.files(under: root).sorted() == [root + "/cache_miss_s", root + "/mine/notes.txt"])
        }
    }

    /// A file without bytes records a miss, and takes a block of the disk all the same.
    @Test func `many misses count too`() throws {
        try withTemporaryFolder { root in
            try makeFolders(root + "/ab")
            for number in 0..<100 { try writeFile("\(root)/ab/\(number)", []) }
            #expect(DownloadSpace.removeOldest(in: [root], above: .max, downTo: 0) == 100 * 4096)
        }
    }

    @Test func `the limit is kept while files come`() throws {
        try withTemporaryFolder { root in
            try fill(root)
            let space = DownloadSpace(folders: [root], limit: 3 << 20)
            space.add(1 << 20)
            // 80 % of 3 MB: two files.
            while TestPaths.files(under: root).count > 2 { usleep(1000) }
            #expect(TestPaths.files(under: root).sorted() == ["\(root)/5e12e5/1/debuginfo", "\(root)/5e12e5/2/debuginfo"])
        }
    }
}
