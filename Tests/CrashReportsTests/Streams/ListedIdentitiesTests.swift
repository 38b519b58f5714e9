import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Identities that stand beside the names of images outside of the rows: the images get them.
struct ListedIdentitiesTests {
    private static let uuid = "4C4C44ED-5555-3144-A1F6-E835C4EE10B4"
    private static let buildID = "bf961b3b526d2110c608a658d3ca7824fad73eff"

    private static let glibcRows = """
        /opt/harbour/berth(+0x1136) [0x55d0c0001136]
        /lib/x86_64-linux-gnu/libc.so.6(+0x29d90) [0x7f9a41c29d90]
        /opt/harbour/berth(+0x10a5) [0x55d0c00010a5]

        """
    private static let darwinRows = """
        0   Long                          	       0x102c443a4 0x102c44000 + 932
        1   Long                          	       0x102c44464 0x102c44000 + 1124
        2   dyld                          	       0x18e3a6b98 0x18e3a0000 + 27544

        """

    /// Fed as a whole, byte by byte, and as a live log that ends.
    private func identities(_ log: String, _ name: String) -> [String?] {
        func images(_ parts: [[UInt8]], isLive: Bool = false) -> String? {
            var stream = LogStream(isLive: isLive)
            var pieces: [LogStream.Piece] = []
            for part in parts { pieces += stream.feed(part.span) }
            pieces += stream.finish()
            return pieces.flatMap(\.reports).flatMap(\.images).first { $0.name == name }?.id?.description
        }
        let bytes = Array(log.utf8)
        return [images([bytes]), images(bytes.map { [$0] }), images([bytes], isLive: true)]
    }

    private func expect(_ id: String?, of name: String, _ log: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(identities(log, name) == [id, id, id], sourceLocation: location)
    }

    private typealias SourceLocation = Testing.SourceLocation

    @Test func `lldb's list of images, above and below the stack`() {
        let list =
            "[  0] \(Self.uuid) 0x0000000102c44000 /private/tmp/Long\n[  1] \(Self.buildID.prefix(32)) 0x000000018e3a0000 /usr/lib/dyld\n"
        expect(Self.uuid, of: "Long", "(lldb) image list\n\(list)\n\(Self.darwinRows)\nend\n")
        expect(Self.uuid, of: "Long", "\(Self.darwinRows)\n(lldb) image list\n\(list)")
    }

    @Test func `a list of binary images that another format's rows stand above`() {
        let list = "0x0000000102c44000-0x0000000102c47fff Long <\(Self.uuid)> /private/tmp/Long\n"
        expect(Self.uuid, of: "Long", "\(Self.darwinRows)\nBinary Images:\n\(list)")
        expect(Self.uuid, of: "Long", "\(Self.darwinRows)\n│ Binary Images:\n│ \(list)")
    }

    @Test func `an object of a JSON document`() {
        // In a live log, the text above the stack counts, and the text that has come with it.
        let found = identities(
            """
            {"stack": "\(Self.darwinRows.replacing("\n", with: "\\n").replacing("\t", with: " "))",
             "binary_images": [
               { "uuid": "0F0F44ED-5555-3144-A1F6-E835C4EE10B4", "name": "Short" },
               { "uuid": "\(Self.uuid)",
                 "name": "Long" }]}

            """, "Long")
        #expect(found[0] == Self.uuid)
        #expect(found[1] == Self.uuid)
    }

    @Test func `what tools print of files`() {
        for line in [
            "0x55d0c0000000+0x5000 \(Self.buildID)@0x55d0c0000358 /opt/harbour/berth - berth",
            "/opt/harbour/berth: ELF 64-bit LSB pie executable, x86-64, BuildID[sha1]=\(Self.buildID), not stripped",
            "Module berth with build-id \(Self.buildID)", "berth (Build ID: \(Self.buildID))",
        ] {
            expect(Self.buildID, of: "berth", Self.glibcRows + "\n" + line + "\n")
            expect(nil, of: "libc.so.6", Self.glibcRows + "\n" + line + "\n")
        }
        expect(Self.uuid, of: "Long", "UUID: \(Self.uuid) (arm64) Long\n" + Self.darwinRows)
    }

    @Test func `a number of something else is no identity`() {
        for line in [
            "request_id=\(Self.uuid) berth 0x1000", "berth commit \(Self.buildID) 0x1000", "berth started as \(Self.uuid)",
            "BuildID[sha1]=\(Self.buildID) berth.so", "BuildID[sha1]=\(Self.buildID) libberth", "uuid: \(Self.uuid)0 berth",
            "berth {\"trace_id\": \"\(Self.uuid)\"} 0x10", "0x1000 /var/containers/\(Self.uuid)/berth",
        ] { expect(nil, of: "berth", Self.glibcRows + "\n" + line + "\n") }
    }

    @Test func `of several the one at the image's base, else the nearest`() {
        let other = "0F0F44ED-5555-3144-A1F6-E835C4EE10B4"
        expect(
            Self.uuid, of: "Long",
            "0x0000000204000000-0x0000000204003fff Long <\(other)> /Long\n\n"
                + "\(Self.darwinRows)\n\n0x0000000102c44000-0x0000000102c47fff Long <\(Self.uuid)> /Long\n")
        expect(
            Self.buildID, of: "berth",
            "berth build-id \(String(repeating: "ab", count: 20))\n\n\n\n\(Self.glibcRows)\nberth build-id \(Self.buildID)\n")
    }

    @Test func `what a trace has is its own`() {
        let crash = """
            Process:               Long [77]
            Path:                  /private/tmp/Long
            Identifier:            Long
            Version:               ???
            Code Type:             ARM-64 (Native)

            Thread 0 Crashed:
            0   Long                          	       0x102c443a4 0x102c44000 + 932

            Binary Images:
                   0x102c44000 -        0x102c47fff Long (*) <\(Self.uuid.lowercased())> /private/tmp/Long

            """
        let log = crash + "\n\nanother run:\n" + Self.darwinRows
        var stream = LogStream()
        let pieces = stream.feed(Array(log.utf8).span) + stream.finish()
        let ids = pieces.flatMap(\.reports).map { report in report.images.first { $0.name == "Long" }?.id?.description }
        #expect(ids == [Self.uuid, nil])
    }
}
