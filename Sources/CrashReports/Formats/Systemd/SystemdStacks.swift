internal import BinaryPrimitives

/// The message of systemd-coredump while its lines come: modules, and a stack for each thread.
///
///     Process 635109 (java) of user 1000 dumped core.
///
///     Module libtree-sitter.so.0.23 with build-id 5f6632d75fd027f5b7b410787f3f06c6bf73eee6
///     Stack trace of thread 635167:
///     #0  0x00007237452cb3f4 n/a (libc.so.6 + 0x963f4)
///     ELF object binary architecture: AMD x86-64
struct SystemdStacks {
    private(set) var threads: [ThreadTrace] = []
    private var modules: [BinaryImage] = []
    /// Of `modules`, by name.
    private var moduleNumbers: [String: Int] = [:]
    private(set) var process = ProcessDescription()
    private var architecture: Architecture?

    var isEmpty: Bool { threads.allSatisfy(\.frames.isEmpty) }

    /// `Process 635109 (java) of user 1000 dumped core.`; of a process that was killed by a signal of systemd's own, other words stand at the end.
    static func isMessage(_ text: Span<UInt8>) -> Bool {
        var rest = text
        return rest.take("Process ") && rest.takeDecimal() != nil && rest.hasPrefix(" (") && rest.contains(") of user ")
            && rest.contains("dumped core")
    }

    static func isStack(_ text: Span<UInt8>) -> Bool {
        var rest = text
        return rest.take("Stack trace of thread ") && rest.takeDecimal() != nil && rest.equals(":")
    }

    /// Takes a row of a stack whose heading was not copied.
    ///
    ///     #23 0x00007f2f1e3a5b12 n/a (libxul.so + 0x2a5b12)
    ///     #24 0x00007f2f1e3a6c07 n/a (libxul.so + 0x2a6c07)
    ///
    /// - Returns: `false` where the row does not continue the stack: numbers go up.
    mutating func takeFragment(_ row: SystemdRow, at place: Range<Int>) -> Bool {
        if threads.isEmpty {
            threads.append(ThreadTrace(index: 0))
            isFragment = true
        }
        guard let last = threads.indices.last, threads[last].frames.count < Limits.standard.framesPerThread,
            threads[last].frames.last.map({ $0.index < row.index || $0.index == row.index && $0.isInlined }) ?? true
        else { return false }
        threads[last].frames.append(row.frame(at: place))
        modulePaths.append(row.module)
        return true
    }

    /// The first thread's heading is missing.
    private(set) var isFragment = false

    mutating func take(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        let text = line.trimmed()
        if SystemdStacks.isStack(text) {
            var digits = text.from("Stack trace of thread ".utf8.count)
            guard threads.count < Limits.standard.threads else { return false }
            threads.append(ThreadTrace(index: digits.takeDecimal().flatMap { Int(exactly: $0) } ?? threads.count))
            return true
        }
        if let last = threads.indices.last, let row = SystemdRow(line), threads[last].frames.count < Limits.standard.framesPerThread {
            threads[last].frames.append(row.frame(at: place))
            modulePaths.append(row.module)
            return true
        }
        return takeMessage(text) || takeModule(text) || takeArchitecture(text) || text.count == 0
    }

    /// What the rows name their modules, in the order of the frames.
    private var modulePaths: [String?] = []

    private mutating func takeMessage(_ text: Span<UInt8>) -> Bool {
        guard SystemdStacks.isMessage(text), threads.isEmpty else { return false }
        var rest = text.from("Process ".utf8.count)
        process.pid = rest.takeDecimal().flatMap { Int(exactly: $0) }
        let end = rest.firstRange(of: ") of user ")?.lowerBound ?? rest.count
        process.name = rest.clamped(to: 2..<max(2, end)).text
        return true
    }

    /// `Module libc.so.6 with build-id 0f5a…`, `Found module libc.so.6 with build-id: 0f5a…`, `Module bash without build-id.`, `Module bash from rpm bash-5.1-2.fc34.x86_64`.
    private mutating func takeModule(_ text: Span<UInt8>) -> Bool {
        var rest = text
        guard rest.take("Module ") || rest.take("Found module "), modules.count < Limits.standard.images else { return false }
        guard let end = rest.lastRange(of: " with build-id") ?? rest.lastRange(of: " without build-id") ?? rest.firstRange(of: " from ")
        else { return false }
        let path = rest.upTo(end.lowerBound).text
        var image = BinaryImage(name: lastPathComponent(path), path: path.utf8.first == UInt8(ascii: "/") ? path : nil)
        var id = rest.from(end.upperBound)
        _ = id.take(":")
        image.id = ImageID(text: id.trimmed().text)
        // A module of a package has two lines.
        if let known = moduleNumbers[image.name] {
            modules[known].id = modules[known].id ?? image.id
        } else {
            moduleNumbers[image.name] = modules.count
            modules.append(image)
        }
        return true
    }

    /// `ELF object binary architecture: AMD x86-64`, elfutils' words (`ebl_backend_name`).
    private mutating func takeArchitecture(_ text: Span<UInt8>) -> Bool {
        guard text.hasPrefix("ELF object binary architecture: ") else { return false }
        let words = text.from("ELF object binary architecture: ".utf8.count).text
        let names = [
            "AMD x86-64": "x86_64", "Intel 80386": "i386", "AARCH64": "arm64", "ARM": "arm", "PowerPC 64-bit": "ppc64",
            "IBM S/390": "s390x", "RISC-V": "riscv64",
        ]
        architecture = names[words].map { Architecture($0) }
        return true
    }

    // MARK: The report

    /// The threads with their images: those of the message, with what the frames tell of where they lie.
    func report() -> CrashReport {
        var report = CrashReport(format: SystemdCoredump.name)
        report.process = process
        report.architecture = architecture
        report.threads = threads.filter { !$0.frames.isEmpty }
        for index in report.threads.indices { SystemdStacks.decideKinds(&report.threads[index].frames) }
        // The thread that crashed is the first in a core.
        if !report.threads.isEmpty { report.threads[0].crashed = true }
        var images = modules
        var numbers = moduleNumbers
        var paths = modulePaths.makeIterator()
        report.changeStacks { stack in
            for index in stack.frames.indices {
                guard let module = paths.next() ?? nil, let name = stack.frames[index].imageName else { continue }
                let known = numbers[name] ?? images.count
                if known == images.count {
                    guard images.count < Limits.standard.images else { continue }
                    numbers[name] = known
                    images.append(BinaryImage(name: name, path: module.utf8.first == UInt8(ascii: "/") ? module : nil))
                }
                stack.frames[index].image = known
                guard images[known].base == nil, let offset = stack.frames[index].imageOffset, let address = stack.frames[index].address
                else { continue }
                images[known].base = address.distance(from: RuntimeAddress(offset.value)).map { RuntimeAddress($0) }
            }
        }
        report.images = images
        return report
    }

    /// systemd prints the program counter as libdwfl gives it (`dwfl_frame_pc`), and takes one off only to find the name; so all rows but number 0 hold return addresses, also where the rows above them
    /// were not copied. (libdwfl knows which frame a signal interrupted; the rows do not say it. The signal's trampoline does, where its name is known.)
    private static func decideKinds(_ frames: inout [Frame]) {
        var isExact = frames.first?.index == 0
        for index in frames.indices {
            frames[index].kind = isExact ? .programCounter : .returnAddress
            guard !frames[index].isInlined else { continue }
            isExact = SignalFrame.isHandler(frames[index].printed)
        }
    }
}
