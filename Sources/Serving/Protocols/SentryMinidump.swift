internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel
internal import MemoryImages
internal import MemoryReports

/// Symbolicator's `POST /minidump`: stacks are unwound out of the memory in a minidump, and
/// symbolicated.
///
///     curl -F upload_file_minidump=@crash.dmp http://localhost:3021/minidump
///
///     {"status":"completed","timestamp":1521713273,"system_info":{"os_name":"Windows",…},"crashed":true,
///      "crash_reason":"EXCEPTION_ACCESS_VIOLATION_WRITE / 0x45","assertion":"",
///      "stacktraces":[{"thread_id":1636,"is_requesting":true,"registers":{…},"frames":[…]}],"modules":[…]}
struct SentryMinidump {
    static let routes = [
        Route(path: "/minidump", method: "POST", errors: .detail, maxBodyBytes: maxBodyBytes, canWait: true, descriptions: [description]) {
            (request, service) throws(Refusal) in
            let form = try SentryForm(request, field: "upload_file_minidump", "minidump", service)
            let service = service.using(form.sources.compactMap(\.server))
            guard form.file.bytes(in: 0..<2) != Array("--".utf8) else { throw Refusal("minidump contains multipart form data") }
            let made: MemoryReader.Report
            do throws(LogError) {
                made = try MemoryReader(service.symbolicator, limits: service.limits).report(.minidump, form.file, from: nil)
            } catch { return SentryFacts.failed(error.description) }
            let dump = SentryMinidump(report: made.report, memory: made.memory)
            let request = SentryRequest(modules: dump.modules, stacks: dump.stacks, isUnwound: true, form)
            return try SentrySymbolication(request, service).response(dump.facts)
        }
    ]

    private static let description = RouteDescription(
        path: "/minidump", summary: "Symbolicator’s endpoint for minidumps.", body: [.form("MinidumpForm")],
        results: [200: [.json("SentryResponse")]], refusals: [400, 422])

    /// As with Symbolicator; the same for crash reports.
    static let maxBodyBytes = 250 << 20

    /// Frames of one thread: Sentry keeps no more.
    private static let maxFrames = 256

    let report: CrashReport
    let memory: MemoryImage

    /// The protocol has no name for what a function's instructions say. It is as sure as a frame pointer.
    private static func name(_ trust: FrameTrust) -> String {
        switch trust {
        case .framePointer, .prologue: "fp"
        case .context, .cfi, .scan: trust.rawValue
        }
    }

    private var stacks: [SentryRequest.Stack] {
        report.threads.enumerated().map { index, thread in
            let frames = thread.frames.prefix(Self.maxFrames).map { frame in
                var shown = SentryRequest.Frame(address: frame.address?.value ?? 0)
                shown.isReturnAddress = frame.kind == .returnAddress
                shown.texts["trust"] = frame.trust.map(Self.name)
                return shown
            }
            return SentryRequest.Stack(
                threadID: thread.systemID, threadName: thread.name, isRequesting: memory.crashedThread.map { $0 == index },
                registers: (thread.registers?.values ?? []).map { (registerName($0.name), $0.value) }, frames: frames, hasMarkedFrames: true
            )
        }
    }

    /// rust-minidump names some registers by their use that `dwarf` numbers.
    private func registerName(_ name: String) -> String {
        switch (report.architecture?.family, name) {
        case ("arm64", "x29"), ("arm", "r11"): "fp"
        case ("arm64", "x30"): "lr"
        default: name
        }
    }

    // MARK: Modules

    private var modules: [SentryModule] {
        let images = report.threads.lazy.flatMap(\.frames).compactMap(\.image)
        let used = Set(images.compactMap { report.images[$0].base?.value })
        return memory.files.compactMap { file in
            guard let described = file.module else { return nil }
            let module = module(file, described)
            return module.codeID == nil && module.debugID == nil && !used.contains(file.base) ? nil : module
        }
    }

    private func module(_ file: MappedImage, _ described: MappedImage.Module) -> SentryModule {
        let identity = memory.identity(of: file)
        var module = SentryModule(
            type: type, codeFile: file.path.isEmpty ? nil : file.path,
            debugID: described.debugIdentifier.flatMap { SentryModule.debugID(breakpad: $0) },
            debugFile: described.debugFile ?? (file.path.isEmpty ? nil : file.path), address: file.base,
            size: described.range.isEmpty ? nil : UInt64(described.range.count))
        switch type {
        case "pe": module.codeID = described.codeIdentifier?.lowercased()
        case "macho": module.codeID = identity?.hexadecimal
        // Older dumps have the 16 bytes of a GUID, which are only a part of the build ID.
        default: module.codeID = described.debugFile == nil ? identity?.hexadecimal : nil
        }
        if module.debugID == nil, type == "elf" { module.debugID = identity.flatMap { SentryModule.debugID(breakpad: BreakpadID.elf($0)) } }
        return module
    }

    private var type: String {
        switch memory.operatingSystem.kind {
        case .windows: "pe"
        case .macOS, .iOS: "macho"
        case .linux, .android, .solaris, .fuchsia: "elf"
        case .other, nil: "unknown"
        }
    }

    // MARK: What happened

    private var facts: [(key: String, value: WrittenJSON?)] {
        [
            ("timestamp", memory.time.map { .unsigned($0) }),
            ("system_info", SentryFacts.system(name: systemName, version: version.number, build: version.build, report.architecture)),
            ("crashed", .boolean(report.cause != nil)), ("crash_reason", .string(reason)), ("assertion", .string(assertion)),
        ]
    }

    private var systemName: String {
        switch memory.operatingSystem.kind {
        case .windows: "Windows"
        case .macOS: "macOS"
        case .iOS: "iOS"
        case .linux: "Linux"
        case .android: "Android"
        case .solaris: "Solaris"
        case .fuchsia: "Fuchsia"
        case .other, nil: memory.operatingSystem.name ?? ""
        }
    }

    /// System version and build. The build of Linux is the text that `uname` prints between the
    /// release and the machine.
    private var version: (number: String, build: String) {
        let number = memory.operatingSystem.version ?? ""
        let build = memory.operatingSystem.build ?? ""
        guard build.hasPrefix("Linux "), !number.isEmpty else { return (number, build) }
        var tokens = build.split(separator: " ").dropFirst()
        if tokens.first.map(String.init) == number { tokens = tokens.dropFirst() }
        return (number, tokens.dropLast().joined(separator: " "))
    }

    /// `EXCEPTION_ACCESS_VIOLATION_READ / 0x10`, `SIGSEGV / SEGV_MAPERR / 0x0`,
    /// `EXC_BAD_ACCESS / KERN_INVALID_ADDRESS / 0x1`: rust-minidump's words, and the address.
    private var reason: String {
        guard let cause = report.cause else { return "" }
        var parts = [cause.signal ?? cause.type ?? cause.codes.map { "0x" + $0 } ?? "unknown"]
        switch memory.operatingSystem.kind {
        case .windows:
            let access = ["reading": "_READ", "writing": "_WRITE", "executing": "_EXEC"]
            parts[0] += cause.message.flatMap { access[$0] } ?? ""
        case .macOS, .iOS:
            // `mach/kern_return.h`.
            let refusals: [UInt32: String] = [1: "KERN_INVALID_ADDRESS", 2: "KERN_PROTECTION_FAILURE"]
            if let first = memory.exceptions.first {
                parts.append((first.code == 1 ? refusals[first.flags] : nil) ?? "0x" + String(first.flags, radix: 16))
            }
        default: parts += [cause.signalCode].compactMap { $0 }
        }
        return (parts + [memory.crashAddress.map { "0x" + String($0, radix: 16) }].compactMap { $0 }).joined(separator: " / ")
    }

    private var assertion: String {
        guard let own = memory.assertion, own.kind != .unknown || own.expression != nil || own.file != nil else { return "" }
        return report.cause?.message ?? ""
    }
}
