import BinaryPrimitives
import MemoryImages
import ObjectFiles
import TestSupport
import Testing
import Unwinding

/// Contents of other projects' dumps, against minidump-stackwalk's output.
struct MinidumpContentsTests {
    static let hasCorpus = MinidumpCorpus.folder != nil

    @Test(.enabled(if: !hasCorpus, "the corpus is there")) func `without a corpus no minidump is read`() {
        print("There is no corpus of minidumps (CAIRN_CORPUS, or shared/corpus beside the package): its tests have nothing to read.")
    }

    @Test(.enabled(if: hasCorpus, "there is no corpus"), arguments: MinidumpCorpus.names)
    func `system, process and crash`(name: String) throws {
        let (image, expectedDump) = (try MinidumpCorpus.image(name), try MinidumpCorpus.expectedDump(name))
        #expect(image.notes.isEmpty, "\(image.notes)")
        #expect(image.process.id == expectedDump.pid)
        let names = ["Mac OS X": "macOS"]
        #expect(image.operatingSystem.name == names[expectedDump.system_info.os] ?? expectedDump.system_info.os)
        let processors: [String: Processor] = ["x86": .i386, "amd64": .x86_64, "arm64": .arm64]
        #expect(image.processor == processors[expectedDump.system_info.cpu_arch])
        #expect(image.operatingSystem.processorCount == expectedDump.system_info.cpu_count)
        // On Linux, the kernel's `uname`, whose first and last words are left out there.
        let version = image.operatingSystem.kind == .linux ? nil : image.operatingSystem.version
        let build =
            image.operatingSystem.kind == .linux
            ? image.operatingSystem.build.map { $0.split(separator: " ").dropFirst().dropLast().joined(separator: " ") }
            : image.operatingSystem.build
        #expect([version, build].compactMap(\.self).joined(separator: " ") == expectedDump.system_info.os_ver)
        #expect(
            image.operatingSystem.distribution == expectedDump.lsb_release?.description
                || image.operatingSystem.distribution == "Ubuntu 14.04 LTS")
        // A 32-bit Windows' address is printed in eight digits.
        #expect(image.crashAddress == expectedDump.crash_info.address.map(MinidumpCorpus.number))
        #expect((image.assertion == nil) == (expectedDump.crash_info.assertion == nil) || name == "electron-windows")
    }

    @Test(.enabled(if: hasCorpus, "there is no corpus"), arguments: MinidumpCorpus.names)
    func `threads and registers`(name: String) throws {
        let (image, expectedDump) = (try MinidumpCorpus.image(name), try MinidumpCorpus.expectedDump(name))
        // The thread that wrote the dump has no frames there, and is left out here.
        let expected = expectedDump.threads.filter { !$0.frames.isEmpty }
        #expect(image.threads.map(\.id) == expected.map(\.thread_id))
        #expect(image.threads.map(\.name) == expected.map { $0.thread_name == "" ? nil : $0.thread_name })
        #expect(image.crashedThread.map { image.threads[$0].id } == expectedDump.crashing_thread?.thread_id)
        let crashed = try image.crashedThread.map { image.threads[$0] } ?? #require(image.threads.first)
        let printed = expectedDump.crashing_thread?.frames.first?.registers ?? [:]
        #expect(printed.isEmpty == (expectedDump.crashing_thread == nil))
        for (register, value) in printed where register != "eflags" {
            #expect(crashed.registers[name: register] == MinidumpCorpus.number(value), "\(register)")
        }
    }

    @Test(.enabled(if: hasCorpus, "there is no corpus"), arguments: MinidumpCorpus.names)
    func `images and their identities`(name: String) throws {
        let (image, expectedDump) = (try MinidumpCorpus.image(name), try MinidumpCorpus.expectedDump(name))
        let expected = expectedDump.modules.sorted { MinidumpCorpus.number($0.base_addr) < MinidumpCorpus.number($1.base_addr) }
        #expect(image.files.count == expected.count)
        for (file, listed) in zip(image.files, expected) {
            let module = try #require(file.module)
            #expect(module.range.lowerBound == MinidumpCorpus.number(listed.base_addr))
            #expect(module.range.upperBound == MinidumpCorpus.number(listed.end_addr))
            #expect(MinidumpCorpus.name(file.path) == listed.filename)
            if let debugFile = module.debugFile { #expect(MinidumpCorpus.name(debugFile) == listed.debug_file) }
            // If the dump has none, zeros are printed.
            let id = listed.debug_id.flatMap { $0.contains { $0 != "0" } ? $0 : nil }
            #expect(module.debugIdentifier == id)
            #expect(module.version == listed.version.flatMap { $0 == "0.0.0.0" ? nil : $0 })
            #expect(image.identity(of: file) == module.identity)
            // The identifier in a symbol file's first line.
            if let identity = module.identity, let id {
                let isELF = ![.windows, .macOS, .iOS].contains(image.operatingSystem.kind)
                #expect(BreakpadID.identity(id, isELF: isELF)?.matches(identity) == true)
            }
            switch image.operatingSystem.kind {
            case .windows:
                #expect(module.codeIdentifier?.lowercased() == listed.code_id)
                // The GUID as it is printed, before the age.
                #expect(module.identity.map { $0.hexadecimal.uppercased() } == id.map { String($0.prefix(32)) })
            // A UUID.
            case .macOS, .iOS: #expect(module.identity?.hexadecimal == id.map { $0.prefix(32).lowercased() })
            default:
                // A build ID, where the writer had it; the older ones have what Breakpad keeps of
                // it, and print zeros and the size.
                if let identity = module.identity, identity.bytes.count > 16 { #expect(identity.hexadecimal == listed.code_id) }
                #expect(module.identity.map(BreakpadID.elf) == id)
            }
        }
        let unloaded = expectedDump.unloaded_modules ?? []
        #expect(image.unloaded.map { MinidumpCorpus.name($0.path) } == unloaded.map(\.filename))
        #expect(image.unloaded.map(\.range.lowerBound) == unloaded.map { MinidumpCorpus.number($0.base_addr) })
        #expect(image.unloaded.map { $0.codeIdentifier?.lowercased() } == unloaded.map(\.code_id))
    }

    /// Chromium's test for iOS (`crashpad/test/ios/crash_xcuitests`) reads an element of an empty
    /// array; `strings` shows the dump's names and values.
    @Test(.enabled(if: hasCorpus, "there is no corpus")) func `annotations of Crashpad are read`() throws {
        let image = try MinidumpCorpus.image("breakpad-minidump_crashpad_annotation")
        let own = image.annotations.filter { $0.image == nil }.map { $0.name + "=" + $0.value }
        #expect(own == ["crashpad=yes", "plat=iOS", "prod=xcuitest", "ver=1"])
        let program = image.annotations.filter { $0.image.map(MinidumpCorpus.name) == "ios_crash_xcuitests" }
        #expect(program.first { $0.name == "exceptionName" }?.value == "NSRangeException")
        #expect(
            program.first { $0.name == "exceptionReason" }?.value
                == "*** -[__NSArray0 objectAtIndex:]: index 42 beyond bounds for empty NSArray")
    }

    @Test(.enabled(if: hasCorpus, "there is no corpus")) func `a build ID is that of the program`() throws {
        let image = try MinidumpCorpus.image("lldb-linux-x86_64")
        let object = try #require(try ObjectFiles.openAll(try MinidumpCorpus.file("lldb-linux-x86_64.exe")).first)
        let program = try #require(image.files.first)
        #expect(object.identity != nil && image.identity(of: program) == object.identity)
    }

    @Test(.enabled(if: hasCorpus, "there is no corpus")) func `a dump without threads has its memory`() throws {
        let image = try MinidumpReader.read(try MinidumpCorpus.file("lldb-regions-memlist64.dmp"))
        #expect(image.threads.isEmpty && image.notes == ["the minidump has no thread's registers"])
        #expect(image.processor == .arm64 && image.operatingSystem.kind == .macOS)
    }

    @Test(.enabled(if: hasCorpus, "there is no corpus")) func `malformed dumps are refused`() throws {
        #expect(throws: MinidumpError.processor(nil)) {
            try MinidumpReader.read(try MinidumpCorpus.file("malformed/radare2-trunc_memory64.dmp"))
        }
        // The facts about the system are at the file's first byte: “MD”.
        #expect(throws: MinidumpError.processor(0x444d)) {
            try MinidumpReader.read(try MinidumpCorpus.file("malformed/radare2-npe_w_bin_mdmp-111.mdmp"))
        }
        #expect(throws: MinidumpError.notAMinidump) { try MinidumpReader.read(try MinidumpCorpus.file("lldb-linux-x86_64.exe")) }
    }
}
