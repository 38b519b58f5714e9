#if os(Linux)
    import BinaryPrimitives
    import TestSupport
    import Testing

    struct FileHolesTests {
        /// Blocks of a megabyte are written at the megabytes that are named. What the holes between
        /// them hold is allowed, and a byte less is not.
        @Test(arguments: [
            ("1", 3 << 20, 2 << 20), ("1 3", 4 << 20, 2 << 20), ("1 3 5", 6 << 20, 3 << 20), ("0", 4 << 20, 3 << 20),
            ("", 4 << 20, 4 << 20),
        ])
        func `so many bytes of a file may be holes`(written: String, size: Int, holes: Int) throws {
            try withTemporaryFolder { folder in
                let path = folder + "/a.log"
                let script =
                    "truncate -s \"$1\" a.log; for at in $2; do dd if=/dev/urandom of=a.log bs=1M count=1 seek=\"$at\" conv=notrunc status=none; done"
                try run("sh", ["-c", script, "sh", "\(size)", written], directory: folder).requireSuccess()
                var limits = Limits.standard
                limits.fileHoles = holes
                let descriptor = try FileDescriptor.openWritten(path, holes: limits.fileHoles)
                let bytes = try FileDescriptor.readAll(from: descriptor)
                FileDescriptor.close(descriptor)
                #expect(bytes.count == size)
                limits.fileHoles = holes - 1
                let error = #expect(throws: FileError.self) { _ = try FileDescriptor.openWritten(path, holes: limits.fileHoles) }
                #expect(error?.errorNumber == FileError.holes && error?.description.hasPrefix(path + ": more than a gigabyte") == true)
            }
        }

        @Test func `what has no size has no holes`() throws {
            let descriptor = try FileDescriptor.openWritten("/dev/null", holes: 0)
            #expect(try FileDescriptor.readSome(from: descriptor).isEmpty)
            FileDescriptor.close(descriptor)
        }
    }
#endif
