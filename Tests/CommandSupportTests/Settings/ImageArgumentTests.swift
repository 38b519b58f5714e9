import ArgumentParser
import BinaryPrimitives
import SymbolFiles
import Symbolication
import TestSupport
import Testing

@testable import CommandSupport

/// `--image NAME=PATH[@BASE]` and `--path-map OLD=NEW`.
struct ImageArgumentTests {
    @Test(
        arguments: [
            ("tide=build/tide", "tide", "build/tide", nil), ("tide=build/tide@0x5649090b0000", "tide", "build/tide", 0x5649_090b_0000),
            ("=a@1000", "", "a", 0x1000), ("a=b=c", "a", "b=c", nil), ("a=b@c@10", "a", "b@c", 0x10),
            ("a=b@ffffffffffffffff", "a", "b", UInt64.max),
        ] as [(String, String, String, UInt64?)])
    func `an image is a name, a path and perhaps a load address`(text: String, name: String, path: String, base: UInt64?) throws {
        #expect(try ImageArgument.read(text) == GivenImage(name: name, path: path, base: base.map { RuntimeAddress($0) }))
    }

    /// `icon@2` is a path where there is such a file, and the file `icon` at address 2 where there
    /// is none.
    @Test func `an @ may be part of a file's name`() throws {
        try withTemporaryFolder { (folder: String) throws -> Void in
            let path = folder + "/icon@2"
            #expect(try ImageArgument.read("a=" + path) == GivenImage(name: "a", path: folder + "/icon", base: RuntimeAddress(2)))
            try writeFile(path, [])
            #expect(try ImageArgument.read("a=" + path) == GivenImage(name: "a", path: path))
            #expect(try ImageArgument.read("a=\(path)@10") == GivenImage(name: "a", path: path, base: RuntimeAddress(0x10)))
        }
    }

    @Test(arguments: [
        ("tide", "no = in it"), ("tide=", "the path is empty"), ("tide=@10", "the path is empty"),
        ("tide=a@", " is not a hexadecimal number of at most 64 bits"),
        ("tide=a@xyz", "xyz is not a hexadecimal number of at most 64 bits"),
        ("tide=a@-1", "-1 is not a hexadecimal number of at most 64 bits"),
        ("tide=a@10000000000000000", "10000000000000000 is not a hexadecimal number of at most 64 bits"),
    ])
    func `an image that cannot be meant is refused with what is wrong`(text: String, problem: String) {
        let error = #expect(throws: ValidationError.self) { _ = try ImageArgument.read(text) }
        #expect(error?.message == "--image \(text): \(problem): expected NAME=PATH or NAME=PATH@BASE")
    }

    /// The new path may be empty: then the beginning is cut off.
    @Test(arguments: [
        ("/build=/src", "/build", "/src"), ("/a=b=c", "/a", "b=c"), ("/build/=", "/build/", ""),
    ])
    func `a map of paths is an old beginning and a new one`(text: String, old: String, new: String) throws {
        #expect(try PathMapArgument.read(text) == PathMap.Entry(old: old, new: new))
    }

    @Test(arguments: [("/build", "no = in it"), ("=/src", "the old path is empty"), ("", "no = in it")])
    func `a map that cannot be meant is refused with what is wrong`(text: String, problem: String) {
        let error = #expect(throws: ValidationError.self) { _ = try PathMapArgument.read(text) }
        #expect(error?.message == "--path-map \(text): \(problem): expected OLD=NEW")
    }
}
