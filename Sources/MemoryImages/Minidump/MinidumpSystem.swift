internal import BinaryPrimitives
internal import Unwinding

/// Reads the machine, its system and the process.
extension MinidumpParser {
    /// - Returns: the processor.
    mutating func readSystem(_ bytes: RawSpan) throws(MinidumpError) -> Processor {
        guard let found = stream(.system, "facts about the system"), case let stream = bytes.clamped(to: found),
            let number = try? stream.value(UInt16.self, at: 0, order)
        else { throw .processor(nil) }
        guard let processor = Self.processors[number] else { throw .processor(number) }
        let count = (try? stream.value(UInt8.self, at: 6, order)).map { Int($0) }
        system.processorCount = count == 0 ? nil : count
        let (major, minor, build) = (word(stream, 8), word(stream, 12), word(stream, 16))
        // LLDB's writer leaves these fields uninitialized.
        if major > 0 || minor > 0 || build > 0, major < 1000, minor < 1000 { system.version = "\(major).\(minor).\(build)" }
        let platform = word(stream, 20)
        (system.kind, system.name) = Self.platforms[platform] ?? (.other, nil)
        system.build = string(bytes, at: word(stream, 24))
        // `Linux 4.4.0-38-generic #57-Ubuntu SMP … x86_64`
        if system.version == nil, system.kind == .linux || system.kind == .android, let tokens = system.build?.split(separator: " "),
            tokens.count > 1
        {
            system.version = String(tokens[1])
        }
        return processor
    }

    private static let processors: [UInt16: Processor] = [
        0: .i386, 1: .mips, 3: .powerPC, 5: .arm, 9: .x86_64, 10: .i386, 12: .arm64, 0x8002: .powerPC64, 0x8003: .arm64, 0x8004: .mips64,
        0x8005: .riscv32, 0x8006: .riscv64, 0x8007: .loongArch64,
    ]

    private static let platforms: [UInt32: (MemoryImage.OperatingSystem.Kind, String)] = [
        0: (.windows, "Windows 3.1"), 1: (.windows, "Windows 95/98/Me"), 2: (.windows, "Windows NT"), 3: (.windows, "Windows CE"),
        0x8000: (.other, "Unix"), 0x8101: (.macOS, "macOS"), 0x8102: (.iOS, "iOS"), 0x8201: (.linux, "Linux"),
        0x8202: (.solaris, "Solaris"), 0x8203: (.android, "Android"), 0x8204: (.other, "PlayStation 3"),
        0x8205: (.other, "Native Client"), 0x8206: (.fuchsia, "Fuchsia"),
    ]

    mutating func readProcess(_ bytes: RawSpan) {
        if let found = stream(.process, "facts about the process"), case let stream = bytes.clamped(to: found) {
            let flags = word(stream, 4)
            if flags & 1 != 0, stream.byteCount >= 12 { process.id = UInt64(word(stream, 8)) }
            if flags & 2 != 0, stream.byteCount >= 16 { process.started = UInt64(word(stream, 12)) }
        }
        readLinux(bytes)
    }

    /// Reads files of `/proc` and `/etc` that dumps of Linux contain unchanged.
    private mutating func readLinux(_ bytes: RawSpan) {
        if let found = stream(.linuxStatus, "lines of /proc/self/status"), case let status = bytes.clamped(to: found) {
            var rest = status.prefix(1 << 16).text
            while let line = rest.readLine() {
                var value = line
                if value.consume("Name:") { process.name = value.trimmed().text }
                if value.consume("Tgid:"), process.id == nil {
                    value = value.trimmed()
                    process.id = value.readDecimal()
                }
            }
        }
        if let found = stream(.linuxCommandLine, "bytes of /proc/self/cmdline"), case let line = bytes.clamped(to: found) {
            let arguments = line.prefix(limits.nameLength).string().split(separator: "\0")
            if !arguments.isEmpty { process.arguments = arguments.joined(separator: " ") }
        }
        if let found = stream(.linuxRelease, "lines of the distribution"), case let release = bytes.clamped(to: found) {
            var rest = release.prefix(1 << 16).text
            while let line = rest.readLine() {
                var value = line
                guard value.consume("DISTRIB_DESCRIPTION=") || value.consume("PRETTY_NAME=") else { continue }
                system.distribution = system.distribution ?? value.trimmed().text.filter { $0 != "\"" }
            }
        }
        if let found = stream(.linuxAuxiliaryVector, "bytes of the auxiliary vector"), case var vector = bytes.clamped(to: found) {
            let size = processor.registerSize
            while let type = try? vector.readUnsigned(size: size, order), let value = try? vector.readUnsigned(size: size, order),
                type != 0,
                process.auxiliaryVector.count < 256
            {
                process.auxiliaryVector[type] = value
            }
        }
    }
}
