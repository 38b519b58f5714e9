import Testing

@testable import CrashCapture

/// `/proc/PID/smaps` (proc_pid_maps(5), proc_pid_smaps(5)).
struct ProcessMapsTests {
    private static let text = """
        555555554000-555555555000 r--p 00000000 fe:01 1310 /tmp/a program
        Size:                  4 kB
        Rss:                   4 kB
        Pss:                   2 kB
        Anonymous:             4 kB
        VmFlags: rd mr mw me
        7ffff7c00000-7ffff7c28000 rw-p 00012000 fe:01 99 /lib/libgone.so (deleted)
        Rss:                 160 kB
        7ffff7fc1000-7ffff7fc5000 ---p 00000000 00:00 0
        Rss:                   0 kB
        7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                          [stack]

        """

    @Test func `each mapping has its addresses, rights, file and resident bytes`() {
        let mappings = ProcessMapping.parse(Array(Self.text.utf8))
        #expect(mappings.map(\.range.lowerBound) == [0x5555_5555_4000, 0x7fff_f7c0_0000, 0x7fff_f7fc_1000, 0x7fff_fffd_e000])
        #expect(mappings.map(\.range.count) == [0x1000, 0x28000, 0x4000, 0x21000])
        #expect(mappings.map(\.path) == ["/tmp/a program", "/lib/libgone.so (deleted)", "", "[stack]"])
        #expect(mappings.map(\.isReadable) == [true, true, false, true])
        #expect(mappings.map(\.isWritable) == [false, true, false, true])
        #expect(mappings.map(\.isFile) == [true, true, false, false] && mappings.map(\.isDeleted) == [false, true, false, false])
        #expect(mappings.map(\.offset) == [0, 0x12000, 0, 0])
        #expect(mappings.map(\.resident) == [4096, 163_840, 0, nil])
        #expect(mappings.map(\.anonymous) == [4096, nil, nil, nil])
    }

    @Test func `what is no mapping is passed over`() {
        #expect(ProcessMapping.parse(Array("Rss: 4 kB\n\nnonsense\n1000-zz r--p 0 0 0\n2000-1000 r--p 0 0 0\n".utf8)).isEmpty)
    }
}
