internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import DWARFInspection
internal import ObjectFiles
internal import Synchronization

/// One run of `Dump` over its files.
struct DumpRun {
    private let command: Dump
    private let options: DumpOptions

    init(_ command: Dump, _ options: DumpOptions) {
        self.command = command
        self.options = options
    }

    /// Dumps all files, in a worker.
    func run() -> Never {
        // The default of llvm-dwarfdump if no file is named.
        let files = command.files.isEmpty ? ["a.out"] : command.files
        Worker.run(files.first ?? "", files: files.count, command.allowance, outcome: "the dump ends here") { try dump(files) }
    }

    /// - Returns: `false` if something could not be dumped.
    private func dump(_ files: [String]) throws -> Bool {
        InspectionPhase.opening.begin()
        let output = try OutputFile(command.outputPath)
        let text = DumpOutput { output.write($0) }
        let counts = try isVerifying ? command.verifyJson.map { try OutputFile($0) } : nil
        let name = Mutex(files.first ?? "")
        let watchdog = Watchdog(command.allowance)
        watchdog.start { limit in
            printDiagnostic("\(name.withLock { $0 }): \(limit.message)")
            endProcessImmediately(1)
        }
        func begin(_ file: String) {
            name.withLock { $0 = file }
            Worker.name(file)
        }
        // All files are opened before any is read, because no file can be opened afterwards.
        var opened = files.map { file in
            begin(file)
            return Result { () throws(ObjectFileError) in try DumpedFiles.objects(file) }
        }
        let size = opened.reduce(0) { $0 + DumpedFiles.size($1) }
        watchdog.allow(forBytes: size)
        let threads = isVerifying || size < DumpThreads.minBytes ? nil : DumpThreads(min(Parallel.processors, Self.maxThreads))
        Worker.seal(opensFiles: options.showsStatistics)
        var isDone = true
        for (index, file) in files.enumerated() {
            begin(file)
            isDone = dump(file, opened[index], text, counts, threads) && isDone
            opened[index] = .success([])
        }
        text.flush()
        output.finish()
        counts?.finish()
        return isDone
    }

    /// Maximum number of threads. Each has its own units and abbreviations.
    private static let maxThreads = 8

    private func dump(
        _ path: String, _ opened: Result<[DumpedFiles.Object], ObjectFileError>, _ output: DumpOutput, _ counts: OutputFile?,
        _ threads: DumpThreads?
    ) -> Bool {
        var isDone = true
        do throws(ObjectFileError) {
            let objects = try opened.get()
            let wanted = objects.filter { isWanted($0) }
            if wanted.isEmpty {
                let names = objects.compactMap { try? $0.object.get().architecture.name }
                output.flush()
                printDiagnostic(
                    "\(path): no object for the architecture \(command.arch.joined(separator: ", ")): it holds \(names.joined(separator: ", "))"
                )
                return false
            }
            for (name, object) in wanted { isDone = dump(name, object, output, counts, threads) && isDone }
        } catch {
            output.flush()
            printDiagnostic(error.description)
            isDone = false
        }
        return isDone
    }

    private func dump(
        _ name: String, _ object: Result<ObjectFile, ObjectFileError>, _ output: DumpOutput, _ counts: OutputFile?,
        _ threads: DumpThreads?
    ) -> Bool {
        let problems = DumpProblems(name, output)
        switch object {
        case .failure(let error):
            output.flush()
            printDiagnostic(error.description)
            return false
        case .success(let file):
            let dumped = DumpedObject(file, name: name) { problems.add($0) }
            let isDone = isVerifying ? verify(dumped, output, counts) : Dumper(dumped, options, output, threads: threads).run()
            problems.finish()
            if let change = file.file.change {
                output.flush()
                printDiagnostic(change.description)
                return false
            }
            return isDone && problems.isEmpty
        }
    }

    private var isVerifying: Bool { command.verify || command.errorDisplay != nil || command.verifyJson != nil }

    private func verify(_ object: DumpedObject, _ output: DumpOutput, _ counts: OutputFile?) -> Bool {
        let display = command.errorDisplay.flatMap { Verifier.Display(rawValue: $0.rawValue) } ?? .full
        let verifier = Verifier(object, command.quiet ? nil : output, display: display)
        guard let counts else { return verifier.run() }
        // As in LLVM: of several objects, only the last one's counts are kept.
        counts.startAnew()
        let json = DumpOutput { counts.write($0) }
        defer { json.flush() }
        return verifier.run(json: json)
    }

    private func isWanted(_ file: DumpedFiles.Object) -> Bool {
        guard !command.arch.isEmpty, case .success(let object) = file.object else { return true }
        return command.arch.contains { $0 == object.architecture.name || Dump.number($0) == object.architecture.machONumber }
    }
}

/// Collects the damage that was found in one object: each message once, up to a limit.
final class DumpProblems {
    private let name: String
    private let output: DumpOutput
    private var known: Set<String> = []
    /// Messages that are not printed, as far as they are distinguished: another thread may find one once
    /// more.
    private var unprinted: Set<String> = []
    private var more = 0

    init(_ name: String, _ output: DumpOutput) {
        self.name = name
        self.output = output
    }

    var isEmpty: Bool { known.isEmpty }

    func add(_ problem: String) {
        guard !known.contains(problem) else { return }
        guard known.count < 10 else {
            if unprinted.count >= 4096 || unprinted.insert(problem).inserted { more += 1 }
            return
        }
        known.insert(problem)
        // Keeps the message after the earlier output, if both go to the same terminal or file.
        output.flush()
        printDiagnostic("\(name): \(problem)")
    }

    func finish() { if more > 0 { printDiagnostic("\(name): and \(more) more of the kind") } }
}

extension Architecture {
    /// Mach-O's `cputype`, by which `--arch` may name a slice too.
    fileprivate var machONumber: UInt64? {
        ["i386": 7, "x86_64": 0x0100_0007, "arm": 12, "arm64": 0x0100_000c, "arm64_32": 0x0200_000c, "ppc": 18, "ppc64": 0x0100_0012][
            family]
    }
}

/// The objects of a file that is dumped, and their names, as in llvm-dwarfdump.
private enum DumpedFiles {
    typealias Object = (name: String, object: Result<ObjectFile, ObjectFileError>)

    /// Returns every object: those of a dSYM bundle, the slices of a universal file, the members of a static
    /// library.
    static func objects(_ path: String) throws(ObjectFileError) -> [Object] {
        let results = try ObjectFiles.openEach(path: path)
        if !results.contains(where: { (try? $0.get()) != nil }), let members = try ObjectFiles.openMembers(ofArchive: path) {
            return members.map { ("\(path)(\($0.member))", $0.object) }
        }
        return results.map { result in
            guard case .success(let object) = result else { return (path, result) }
            let isSlice = object.slice != 0..<object.file.size
            return (isSlice ? "\(object.path)(\(object.architecture))" : object.path, result)
        }
    }

    /// Total size in bytes of all objects of a file.
    static func size(_ objects: Result<[Object], ObjectFileError>) -> Int {
        ((try? objects.get()) ?? []).reduce(0) { $0 + ((try? $1.object.get()).map(size) ?? 0) }
    }

    /// The images of a kernel cache share one file: the sections of each are counted.
    private static func size(_ object: ObjectFile) -> Int {
        object.isFilesetEntry ? object.description.sections.reduce(0) { $0 + $1.fileRange.count } : object.slice.count
    }
}
