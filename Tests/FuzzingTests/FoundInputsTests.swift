import FuzzAnonymizing
import FuzzArchives
import FuzzCallSites
import FuzzCores
import FuzzDWARFUnits
import FuzzDamage
import FuzzDemangling
import FuzzDocumentFormats
import FuzzDump
import FuzzELF
import FuzzLayers
import FuzzLineFormats
import FuzzLinePrograms
import FuzzLogContainers
import FuzzLogStream
import FuzzMachO
import FuzzMinidumps
import FuzzMultipart
import FuzzPE
import FuzzPersonalities
import FuzzRows
import FuzzServing
import FuzzSharedCache
import FuzzSignatures
import FuzzSplitUnits
import FuzzStream
import FuzzSymbolFiles
import FuzzSymbolIndex
import FuzzTestReports
import FuzzUnwinding
import FuzzWebAssembly
import TestSupport
import Testing

/// Inputs that the fuzzers of `Tests/Fuzzing` begin with and have found (`Fixtures/hostile`), read
/// again by each family: in separate processes, because an input that crashes one would end all
/// tests with it.
struct FoundInputsTests {
    @Test func `names that are taken out of logs`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzAnonymizing", FuzzAnonymizing.fuzz) }
    }
    @Test func `archives`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzArchives", FuzzArchives.fuzz) }
    }
    @Test func `code and its calls`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzCallSites", FuzzCallSites.fuzz) }
    }
    @Test func `cores`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzCores", FuzzCores.fuzz) }
    }
    @Test func `mangled names`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzDemangling", FuzzDemangling.fuzz) }
    }
    @Test func `logs that are documents`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzDocumentFormats", FuzzDocumentFormats.fuzz) }
    }
    @Test func `damaged logs`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzDamage", FuzzDamage.fuzz) }
    }
    @Test func `texts below a layer`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzLayers", FuzzLayers.fuzz) }
    }
    @Test func `dumps of debug information`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzDump", FuzzDump.fuzz) }
    }
    @Test func `units of debug information`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzDWARFUnits", FuzzDWARFUnits.fuzz) }
    }
    @Test func `ELF`() async { await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzELF", FuzzELF.fuzz) } }
    @Test func `logs of lines`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzLineFormats", FuzzLineFormats.fuzz) }
    }
    @Test func `line programs and ranges`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzLinePrograms", FuzzLinePrograms.fuzz) }
    }
    @Test func `compressed logs`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzLogContainers", FuzzLogContainers.fuzz) }
    }
    @Test func `logs that come in parts`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzLogStream", FuzzLogStream.fuzz) }
    }
    @Test func `Mach-O`() async { await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzMachO", FuzzMachO.fuzz) } }
    @Test func `minidumps`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzMinidumps", FuzzMinidumps.fuzz) }
    }
    @Test func `forms`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzMultipart", FuzzMultipart.fuzz) }
    }
    @Test func `PE`() async { await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzPE", FuzzPE.fuzz) } }
    @Test func `input of the tools in whose place cairn answers`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzPersonalities", FuzzPersonalities.fuzz) }
    }
    @Test func `rows of any stack`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzRows", FuzzRows.fuzz) }
    }
    @Test func `requests of the service`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzServing", FuzzServing.fuzz) }
    }
    @Test func `shared caches`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzSharedCache", FuzzSharedCache.fuzz) }
    }
    @Test func `names and lists of signatures`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzSignatures", FuzzSignatures.fuzz) }
    }
    @Test func `split units and supplementary files`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzSplitUnits", FuzzSplitUnits.fuzz) }
    }
    @Test func `records of a stream`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzStream", FuzzStream.fuzz) }
    }
    @Test func `symbol files that are no objects`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzSymbolFiles", FuzzSymbolFiles.fuzz) }
    }
    @Test func `the index`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzSymbolIndex", FuzzSymbolIndex.fuzz) }
    }
    @Test func `consoles and reports of test runs`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzTestReports", FuzzTestReports.fuzz) }
    }
    @Test func `unwind information`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzUnwinding", FuzzUnwinding.fuzz) }
    }
    @Test func `WebAssembly`() async {
        await #expect(processExitsWith: .success) { unsafe HostileFiles.read("FuzzWebAssembly", FuzzWebAssembly.fuzz) }
    }

    @Test func `every family is one of these, and has files to begin with`() {
        let families = TestPaths.files(under: TestPaths.root + "/Tests/Fuzzing").filter { $0.hasSuffix(".seeds") }
        #expect(families.count == 31)
        for list in families {
            let name = String(list.split(separator: "/").last?.dropLast(6) ?? "")
            #expect(!HostileFiles.seeds(of: name).isEmpty, "\(name)")
        }
    }
}

/// The committed files that a family of parsers is fuzzed with.
enum HostileFiles {
    /// Gives each file to `fuzz`; for a process that ends with the test.
    static func read(_ family: String, _ fuzz: (UnsafePointer<UInt8>, Int) -> CInt) {
        for path in seeds(of: family) {
            let bytes = TestPaths.bytes(of: path)
            // If a file crashes the process, the last line of its output names the file.
            print(path)
            // The pointer is valid for empty input, too.
            unsafe (bytes + [0]).withUnsafeBufferPointer { buffer in
                if let start = buffer.baseAddress { unsafe _ = fuzz(start, bytes.count) }
            }
        }
    }

    /// The files that `Tests/Fuzzing/FAMILY.seeds` names in this project.
    static func seeds(of family: String) -> [String] {
        let lines = String(decoding: TestPaths.bytes(of: TestPaths.root + "/Tests/Fuzzing/\(family).seeds"), as: UTF8.self).split(
            separator: "\n")
        return lines.filter { !$0.contains(" ") && !$0.hasPrefix("corpus/") }.flatMap { line -> [String] in
            let path = TestPaths.root + "/" + line
            let below = TestPaths.files(under: path)
            return below.isEmpty && TestPaths.isReadable(path) ? [path] : below
        }.filter { TestPaths.bytes(of: $0).count < 256 << 10 }
    }
}
