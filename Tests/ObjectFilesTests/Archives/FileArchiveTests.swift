import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Archives made by common tools, read back: members have the contents that were put in.
struct FileArchiveTests {
    /// Makes files in a folder: `text` small, `big` 300,000 bytes that hardly compress beside some
    /// that do, `zero` empty; then runs the command there.
    static func withArchive<Result>(
        _ script: String, name: String = "archive", _ body: (FileArchive, _ folder: String) throws -> Result
    ) throws -> Result {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/lib/arm64-v8a")
            try writeFile(folder + "/lib/arm64-v8a/text.so", Array("hello\n".utf8))
            try writeFile(folder + "/lib/arm64-v8a/big.so", big)
            try writeFile(folder + "/lib/zero.so", [])
            try writeFile(folder + "/lib/readme.txt", Array("no symbols\n".utf8))
            try run("sh", ["-c", "set -e; " + script], directory: folder).requireSuccess()
            let archive = try #require(try FileArchive.open(MappedFile(path: folder + "/" + name)))
            return try body(archive, folder)
        }
    }

    static let big: [UInt8] = {
        var state: UInt32 = 7
        return (0..<300_000).map { index in
            state = state &* 1_664_525 &+ 1_013_904_223
            return index % 3 == 0 ? UInt8(truncatingIfNeeded: state >> 24) : UInt8(index / 4096)
        }
    }()

    static func bytes(_ archive: FileArchive, _ name: String) throws -> [UInt8] {
        let number = try #require(archive.number(of: name), "\(name)")
        let file = try archive.contents(of: number)
        #expect(file.path == "\(archive.path)!/\(name)")
        return file.bytes(in: 0..<file.size)
    }

    static func expect(_ name: String, in archive: FileArchive, is content: [UInt8], at location: Testing.SourceLocation = #_sourceLocation)
        throws
    {
        let found = try bytes(archive, name)
        #expect(found == content, sourceLocation: location)
    }

    static let names = ["lib/arm64-v8a/big.so", "lib/arm64-v8a/text.so", "lib/zero.so"]

    @Test(arguments: [
        ("zip -q -r -X archive lib; mv archive.zip archive", FileArchive.Format.zip),
        ("zip -q -0 -r archive.zip lib; mv archive.zip archive", .zip),
        ("zip -q -9 -r - lib > archive", .zip),
        // Sizes after the bytes, and ZIP64's records.
        ("zip -q -fz -r archive.zip lib; mv archive.zip archive", .zip),
        ("cat lib/arm64-v8a/big.so | zip -q -r archive.zip lib -; mv archive.zip archive", .zip),
        // Something in front of the file, as a self-extracting one has.
        ("zip -q -r a.zip lib; (printf 'PK\\003\\004x'; cat a.zip) > archive", .zip),
        ("zip -q -r a.zip lib; (cat a.zip; printf 'appended') > archive", .zip),
        ("tar --format=ustar -cf archive lib", .tar), ("tar --format=gnu -cf archive lib", .tar),
        ("tar --format=pax -cf archive lib", .tar),
        ("tar --format=v7 -cf archive lib", .tar), ("tar --format=pax -cf archive ./lib", .tar),
        ("tar -czf archive lib", .tarGzip), ("tar -cf - lib | gzip -1 > archive", .tarGzip),
        // Several gzip members one after the other, and several xz streams.
        ("tar -cf a lib; (head -c 100000 a | gzip; tail -c +100001 a | gzip) > archive", .tarGzip),
        ("tar -cJf archive lib", .tarXZ), ("tar -cf a lib; (head -c 100000 a | xz; tail -c +100001 a | xz) > archive", .tarXZ),
        ("tar --zstd -cf archive lib", .tarZstandard), ("tar -cf - lib | zstd -q -19 --long=27 > archive", .tarZstandard),
        ("tar -cjf archive lib", .tarBzip2),
        ("tar -cf a lib; (head -c 100000 a | bzip2; tail -c +100001 a | bzip2) > archive", .tarBzip2),
        ("tar -cf - lib | lz4 -q - archive", .tarLZ4),
        ("find lib | cpio --quiet -o -H newc > archive", .cpio), ("find ./lib | cpio --quiet -o -H crc > archive", .cpio),
        (debianPackage("-Zxz"), .debianPackage), (debianPackage("-Zgzip"), .debianPackage), (debianPackage("-Znone"), .debianPackage),
        (debianPackage("-Zzstd"), .debianPackage), (rpmPackage("w6.xzdio"), .rpmPackage), (rpmPackage("w9.gzdio"), .rpmPackage),
        (rpmPackage("w19.zstdio"), .rpmPackage),
    ])
    func `members are what was put in`(script: String, format: FileArchive.Format) throws {
        try Self.withArchive(script) { archive, _ in
            #expect(archive.format == format)
            #expect(archive.members.map(\.name).filter { $0 != "-" }.sorted() == Self.names)
            let found = try Self.names.map { try Self.bytes(archive, $0) }
            #expect(found == [Self.big, Array("hello\n".utf8), []])
        }
    }

    /// dpkg-deb of a version before 1.21.18 makes no packages that are compressed with zstd: their members are made by hand, as Ubuntu has them.
    private static func debianPackage(_ compression: String) -> String {
        let control =
            "mkdir -p pkg/DEBIAN; cp -r lib pkg; printf 'Package: a\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@a>\\nDescription: a\\n' > pkg/DEBIAN/control; "
        guard compression == "-Zzstd" else { return control + "dpkg-deb \(compression) --build pkg archive > /dev/null" }
        return control
            + "echo 2.0 > debian-binary; tar -C pkg/DEBIAN --zstd -cf control.tar.zst .; tar -C pkg --zstd --exclude DEBIAN -cf data.tar.zst .; ar rc archive debian-binary control.tar.zst data.tar.zst"
    }

    private static func rpmPackage(_ compression: String) -> String {
        """
        printf 'Name: a\\nVersion: 1\\nRelease: 1\\nSummary: a\\nLicense: a\\nBuildArch: noarch\\n%%description\\n%%files\\n/lib\\n' > a.spec
        mkdir -p root; cp -r lib root
        rpmbuild --quiet -bb --buildroot "$PWD/root" --define "_topdir $PWD/top" --define "_binary_payload \(compression)" --define "__os_install_post %nil" --define "_build_id_links none" a.spec > log 2>&1 || { cat log; exit 1; }
        mv top/RPMS/noarch/*.rpm archive
        """
    }

    /// GNU's and pax' ways for names that do not fit a header, and ustar's two fields.
    @Test(arguments: [("gnu", 300), ("pax", 300), ("ustar", 100)])
    func `long names are whole`(format: String, length: Int) throws {
        let folder = String(repeating: "d", count: 90)
        let name = (0..<length / 100).map { _ in folder + "/" }.joined() + "App.dSYM/Contents/Resources/DWARF/App"
        try Self.withArchive("mkdir -p $(dirname \(name)); printf x > \(name); tar --format=\(format) -cf archive d*") { archive, _ in
            #expect(archive.members.map(\.name) == [name])
            try Self.expect(name, in: archive, is: [UInt8(ascii: "x")])
        }
    }

    @Test func `a second name of a file in a tar archive has its bytes`() throws {
        try Self.withArchive("ln lib/arm64-v8a/big.so lib/second.so; ln -s big.so lib/link.so; tar -cf archive lib") { archive, _ in
            #expect(archive.members.map(\.name).sorted() == Self.names.dropLast() + ["lib/second.so", "lib/zero.so"])
            try Self.expect("lib/second.so", in: archive, is: Self.big)
            try Self.expect("lib/arm64-v8a/big.so", in: archive, is: Self.big)
        }
    }

    @Test func `of several members of one name the last counts, as unpacking does`() throws {
        try Self.withArchive("tar -cf archive lib; printf new > lib/arm64-v8a/text.so; tar -rf archive lib/arm64-v8a/text.so") {
            archive, folder in
            try Self.expect("lib/arm64-v8a/text.so", in: archive, is: Array("new".utf8))
        }
    }

    /// `zipalign` lengthens the local header's extra field so that the bytes begin on a page; the
    /// directory's copy stays as it was.
    @Test func `where a stored member begins is told`() throws {
        try Self.withArchive("zip -q -0 -X archive.zip lib/arm64-v8a/text.so lib/arm64-v8a/big.so; mv archive.zip archive") {
            archive, folder in
            let whole = try readFile(folder + "/archive")
            for name in ["lib/arm64-v8a/text.so", "lib/arm64-v8a/big.so"] {
                let number = try #require(archive.number(of: name))
                let start = try #require(archive.start(of: number))
                let content = try readFile(folder + "/" + name)
                #expect(Array(whole[start..<start + content.count]) == content)
            }
        }
        try Self.withArchive("zip -q -9 archive.zip lib/arm64-v8a/big.so; mv archive.zip archive") { archive, _ in
            #expect(archive.start(of: 0) == nil && archive.members[0].isPacked)
        }
    }

    @Test func `the beginning of a packed member is unpacked alone`() throws {
        try Self.withArchive("zip -q -9 archive.zip lib/arm64-v8a/big.so; mv archive.zip archive") { archive, _ in
            let beginning = try #require(try archive.beginning(of: 0, count: 1000))
            #expect(beginning.size == Self.big.count)
            #expect(beginning.bytes(in: 0..<1000) == Array(Self.big[..<1000]) && beginning.bytes(in: 1000..<1100).allSatisfy { $0 == 0 })
            #expect(try archive.head(of: 0, count: 4) == Array(Self.big[..<4]))
        }
    }

    @Test func `what is unpacked is not unpacked again while it is used`() throws {
        try Self.withArchive("zip -q -9 archive.zip lib/arm64-v8a/big.so; mv archive.zip archive") { archive, _ in
            let first = try archive.contents(of: 0)
            #expect(try archive.contents(of: 0) === first)
        }
    }

    /// More than stays in memory (4 MB) goes through a file that is unlinked at once.
    @Test func `a large compressed archive is unpacked into a file without a name`() throws {
        try withTemporaryFolder { folder in
            let large = (0..<20).flatMap { _ in Self.big }
            try writeFile(folder + "/large.so", large)
            try writeFile(folder + "/z", Array("last".utf8))
            try run("tar", ["-czf", "archive", "large.so", "z"], directory: folder).requireSuccess()
            let archive = try #require(try FileArchive.open(MappedFile(path: folder + "/archive")))
            try Self.expect("large.so", in: archive, is: large)
            try Self.expect("z", in: archive, is: Array("last".utf8))
            let part = try archive.contents(of: 1)
            #expect(part.bytes(in: 1..<10) == Array("ast".utf8))
            #expect(part.withBytes { $0.byteCount } == 4)
        }
    }

    @Test(arguments: [
        (
            "zip -q -P secret archive.zip lib/arm64-v8a/big.so; mv archive.zip archive",
            "it is encrypted, expected a ZIP file without a password"
        ),
        (
            "zip -q -Z bzip2 archive.zip lib/arm64-v8a/big.so; mv archive.zip archive",
            "it is packed with bzip2, expected stored or deflated bytes"
        ),
    ])
    func `a member that cannot be read says why`(script: String, problem: String) throws {
        try Self.withArchive(script) { archive, _ in
            #expect(Self.problem { _ = try archive.contents(of: 0) } == problem)
            #expect(archive.start(of: 0) == nil)
        }
    }

    static func problem(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return (error as? ObjectFileError)?.problem ?? "\(error)" }
        return nil
    }

    @Test(arguments: [
        (
            #"printf '7z\274\257\047\034' > archive"#,
            "it is a 7-Zip archive, which is not read: expected a ZIP file, a Debian or RPM package, or a tar archive, plain or compressed with gzip, xz, zstd, bzip2 or lz4"
        ),
        (
            "gzip -c lib/arm64-v8a/big.so > archive",
            "the file that is compressed with gzip is damaged: its contents are neither an object file nor a tar archive"
        ),
        ("tar -czf a lib; head -c 100000 a > archive", "the file that is compressed with gzip is damaged: they end early"),
        ("tar -cf a lib; head -c 100000 a > archive", "the tar archive is damaged: the archive ends within a member"),
        ("zip -q -r a.zip lib; head -c 100000 a.zip > archive", "the ZIP file has no directory at its end: it is cut short"),
    ])
    func `an archive that cannot be read says why`(script: String, problem: String) throws {
        #expect(Self.problem { try Self.withArchive(script) { _, _ in } } == problem)
    }

    /// `zip -s` splits; the first volume begins with a mark.
    @Test func `one volume of a split file is refused`() throws {
        let said = Self.problem {
            try Self.withArchive(
                "cat lib/arm64-v8a/big.so lib/arm64-v8a/big.so > lib/b2.so; zip -q -0 -s 512k -r a.zip lib; mv a.z01 archive"
            ) { _, _ in }
        }
        #expect(said == "it is one volume of a ZIP file that was split, expected the whole file")
    }

    @Test func `a damaged member is refused by its checksum`() throws {
        try withTemporaryFolder { folder in
            try writeFile(folder + "/text.so", Array("hello hello hello hello hello\n".utf8))
            try run("zip", ["-q", "-9", "a.zip", "text.so"], directory: folder).requireSuccess()
            var bytes = try readFile(folder + "/a.zip")
            // The checksum in the directory: 16 bytes after its signature.
            let entry = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x50, 0x4b, 1, 2]) })
            bytes[entry + 16] ^= 1
            let archive = try #require(try FileArchive.open(MappedFile(bytes: bytes.span.rawBytes, name: "a.zip")))
            let said = try #require(Self.problem { _ = try archive.contents(of: 0) })
            #expect(said.hasPrefix("it is damaged, its CRC-32 differs: the checksum in the ZIP file is "), "\(said)")
        }
    }

    /// APPNOTE.TXT, section 4.5.3: where both sizes are all ones, the field has the unpacked one
    /// first. `unzip -t` and Python read this file.
    @Test func `sizes that do not fit 32 bits are in ZIP64's field`() throws {
        var builder = ZIPBuilder()
        // RFC 1951, section 3.2.4: the last block, stored; its length and the length's complement.
        builder.add(Array("a.so".utf8), [1, 3, 0, 0xfc, 0xff] + Array("abc".utf8))
        builder.members[0].unpacked = Array("abc".utf8)
        builder.members[0].method = 8
        builder.members[0].size = .max
        builder.members[0].packedSize = .max
        var field = ByteWriter()
        field.put(UInt16(0x0001))
        field.put(UInt16(16))
        field.put(UInt64(3))
        field.put(UInt64(5 + 3))
        builder.members[0].extra = field.bytes
        let bytes = builder.build()
        let archive = try #require(try FileArchive.open(MappedFile(bytes: bytes.span.rawBytes, name: "a")))
        #expect(archive.members.map(\.size) == [3])
        try Self.expect("a.so", in: archive, is: Array("abc".utf8))
    }

    /// APPNOTE.TXT, section 4.3.16: the end record has 22 bytes, the last two of which are its
    /// comment's length, and the comment ends the file. (Info-ZIP's `unzip` and Python read the
    /// comment's contents as the record.)
    @Test func `a comment may have the mark of an end record`() throws {
        var builder = ZIPBuilder()
        builder.add(Array("a.so".utf8), Array("x".utf8))
        // A whole record of zeros, and bytes after it.
        builder.comment = [0x50, 0x4b, 5, 6] + [UInt8](repeating: 0, count: 18 + 9)
        let bytes = builder.build()
        let archive = try #require(try FileArchive.open(MappedFile(bytes: bytes.span.rawBytes, name: "a")))
        #expect(archive.members.map(\.name) == ["a.so"])
    }

    @Test func `names are UTF-8 by the flag, by Info-ZIP's field, by themselves, else code page 437`() throws {
        func archive(_ name: [UInt8], flags: UInt16 = 0, unicode: String? = nil) throws -> String? {
            var builder = ZIPBuilder()
            builder.add(name, Array("x".utf8), flags: flags, unicode: unicode)
            let bytes = builder.build()
            return try FileArchive.open(MappedFile(bytes: bytes.span.rawBytes, name: "a"))?.members.first?.name
        }
        #expect(try archive(Array("für".utf8), flags: 1 << 11) == "für")
        #expect(try archive(Array("für".utf8)) == "für")
        // 0x81 is ü on IBM's code page.
        #expect(try archive([0x66, 0x81, 0x72]) == "für")
        #expect(try archive([0x66, 0x81, 0x72], unicode: "fún") == "fún")
    }
}
