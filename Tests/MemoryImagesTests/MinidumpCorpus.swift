import BinaryPrimitives
import Foundation
import MemoryImages
import ObjectFiles
import TestSupport
import Unwinding

/// Dumps of other projects' tests, and minidump-stackwalk 0.25.0's output for them.
enum MinidumpCorpus {
    static let folder = TestPaths.corpus.map { $0 + "/memory/minidump" }.flatMap { TestPaths.isReadable($0) ? $0 : nil }

    /// Dumps with a recorded answer.
    static let names: [String] = {
        let results = folder.map { TestPaths.files(under: $0 + "/expected/minidump-stackwalk") } ?? []
        return results.map { Self.name($0).replacing(".json", with: "") }
    }()

    static func file(_ name: String) throws -> MappedFile { try corpusFile(name, in: folder) }

    static func image(_ name: String) throws -> MemoryImage { try MinidumpReader.read(try file(name + ".dmp")) }

    /// The stacks by the symbol files that the recorded answer had: the whole ones.
    static func stacks(_ image: MemoryImage, symbolFile: String = ".sym.original") -> [UnwoundStack] {
        image.stacks(
            image.modules { file in
                let name = Self.name(file.module?.debugFile ?? file.path)
                guard let folder, let id = file.module?.debugIdentifier else { return ImageFiles() }
                let path = "\(folder)/symbols/\(name)/\(id)/\(name)"
                let symbols = (try? MappedFile(path: path + symbolFile)) ?? (try? MappedFile(path: path + ".sym"))
                return ImageFiles(breakpad: symbols.map { BreakpadFrames($0) })
            })
    }

    static func expectedDump(_ name: String) throws -> ExpectedDump {
        let bytes = try readFile((folder ?? "") + "/expected/minidump-stackwalk/" + name + ".json")
        return try JSONDecoder().decode(ExpectedDump.self, from: Data(bytes))
    }

    static func name(_ path: String) -> String { path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? "" }

    struct ExpectedDump: Decodable {
        struct Crash: Decodable {
            var address: String?
            var assertion: String?
            var crashing_thread: Int?
        }
        struct System: Decodable {
            var os: String
            var os_ver: String?
            var cpu_arch: String
            var cpu_count: Int
        }
        struct Thread: Decodable {
            var thread_id: UInt64
            var thread_name: String?
            var frames: [Frame]
        }
        struct Frame: Decodable {
            var trust: String
            var offset: String
            var registers: [String: String]?
        }
        struct Module: Decodable {
            var base_addr: String
            var end_addr: String
            var filename: String
            var code_id: String?
            var debug_file: String?
            var debug_id: String?
            var version: String?
        }
        struct Distribution: Decodable { var description: String }

        var pid: UInt64?
        var crash_info: Crash
        var system_info: System
        var threads: [Thread]
        var crashing_thread: Thread?
        var modules: [Module]
        var unloaded_modules: [Module]?
        var lsb_release: Distribution?

        /// The addresses of a thread's frames as they were found: a caller's is printed as that of
        /// the call, which is one byte before, or an instruction of arm64.
        func addresses(_ thread: Thread) -> [UInt64] {
            thread.frames.enumerated().map { index, frame in
                number(frame.offset) + (index == 0 ? 0 : system_info.cpu_arch == "arm64" ? 4 : 1)
            }
        }
    }

    static func number(_ text: String) -> UInt64 { UInt64(text.dropFirst(2), radix: 16) ?? .max }
}

/// A file of a folder of the corpus, which may be packed by xz.
func corpusFile(_ name: String, in folder: String?) throws -> MappedFile {
    guard let path = folder.map({ $0 + "/" + name }) else { throw RunError(description: "there is no corpus") }
    if TestPaths.isReadable(path) { return try MappedFile(path: path) }
    let unpacked = try run("xz", ["-dc", path + ".xz"]).standardOutput
    guard !unpacked.isEmpty else { throw RunError(description: "\(name) is not in the corpus") }
    return try MappedFile(bytes: unpacked.span.rawBytes, name: name)
}
