import BinaryPrimitives
import CrashLogModel
import CrashReports
import TestSupport
import Testing

/// Real tombstones in protobuf of the corpus, against tables of every frame of every thread that
/// another reader made by the schema, and against the device's own text.
struct TombstoneProtobufCorpusTests {
    static let folder = TestPaths.corpus.map { $0 + "/memory/tombstone-pb/" }.flatMap { TestPaths.isReadable($0) ? $0 : nil }

    private func sample(_ name: String) -> SampleLog { SampleLog(bytes: TestPaths.bytes(of: (Self.folder ?? "") + name)) }

    /// The identifiers are of the table's first line: `# arch ARM64 pid 5260 tid 5277 …`.
    @Test(
        .enabled(if: Self.folder != nil, "the corpus of protobuf tombstones is not here (CAIRN_CORPUS)"),
        arguments: [("bitdrift-tombstone", Architecture.arm64, 5260, 5277), ("mvt-tombstone_process", .arm, 25541, 21307)])
    func `every frame of every thread is the table's`(name: String, architecture: Architecture, pid: Int, thread: Int) throws {
        let log = sample(name + ".pb")
        let report = try log.report()
        #expect(report.format == "android-tombstone-pb" && report.architecture == architecture && report.process.pid == pid)
        #expect(report.threads.first.map { $0.index == thread && $0.crashed } == true)
        #expect(report.cause?.signal == "SIGSEGV" && report.cause?.codes == "code 1 (SEGV_MAPERR)")
        let rows = sample("expected/\(name).tsv").text.split(separator: "\n").filter { !$0.hasPrefix("#") }.dropFirst()
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        #expect(rows.count == report.threads.reduce(0) { $0 + $1.frames.count } && !rows.isEmpty)
        let threads = Dictionary(report.threads.map { ($0.index, $0) }) { first, _ in first }
        for row in rows {
            // tid, thread, frame, rel_pc, pc, function, its offset, file, map offset, build ID
            let stack = try #require(Int(row[0]).flatMap { threads[$0] })
            let index = try #require(Int(row[2]))
            let frame = try #require(stack.frames.indices.contains(index) ? stack.frames[index] : nil)
            let pc = try #require(UInt64(row[3].dropFirst(2), radix: 16))
            #expect(stack.name ?? "" == row[1])
            let image = frame.image.map { report.images[$0] }
            if let image, !image.isPlaceholder {
                #expect(frame.imageLocation == .linkAddress(LinkAddress(pc)) && frame.address == nil)
                #expect(image.id?.hexadecimal ?? "" == row[9], "\(row)")
                #expect(row[7].hasPrefix(image.path ?? "?"), "\(row)")
            } else {
                #expect(frame.imageLocation == .offset(ImageOffset(pc)) || frame.address == RuntimeAddress(pc), "\(row)")
            }
            #expect(frame.printed?.name ?? "" == row[5] && frame.kind == .exact)
            if frame.printed != nil { #expect(frame.printed?.offset.map { "\($0)" } == row[6]) }
        }
    }

    @Test(.enabled(if: Self.folder != nil, "the corpus of protobuf tombstones is not here (CAIRN_CORPUS)"))
    func `the device's own text gives the same report`() throws {
        let text = try sample("expected/mvt-tombstone_process.txt").report()
        #expect(TombstoneProtobufTests.content(try sample("mvt-tombstone_process.pb").report()) == TombstoneProtobufTests.content(text))
    }

    /// Replacements are as long as what they replace, so that no message's length changes.
    @Test(
        .enabled(if: Self.folder != nil, "the corpus of protobuf tombstones is not here (CAIRN_CORPUS)"),
        arguments: ["bitdrift-tombstone.pb", "mvt-tombstone_process.pb"])
    func `without names it is the same tombstone`(name: String) throws {
        let log = sample(name)
        let report = try SampleLog(bytes: Anonymizer().bytes(log.bytes.span)).report()
        let original = try log.report()
        #expect(report.notes == original.notes && report.allFrames.map(\.range) == original.allFrames.map(\.range))
        #expect(report.images.map(\.id) == original.images.map(\.id))
    }

    @Test(.enabled(if: Self.folder == nil, "the corpus of protobuf tombstones is there"))
    func `without a corpus no real tombstone in protobuf is read`() {
        print("There is no corpus of protobuf tombstones (CAIRN_CORPUS, or shared/corpus beside the package).")
    }
}
