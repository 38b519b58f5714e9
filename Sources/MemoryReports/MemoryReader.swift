package import BinaryPrimitives
package import CrashLogFormats
package import CrashLogModel
package import MemoryImages
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
package import Symbolication
internal import Unwinding

/// Makes reports of core files and minidumps: unwinds each thread's stack, with the rules of the
/// files that symbols come from.
package struct MemoryReader: Sendable {
    private let symbolicator: Symbolicator
    private let limits: Limits

    private var provider: any SymbolProvider { symbolicator.provider }

    /// - Parameter symbolicator: a symbolicator of logs; the files of images are found as it finds them.
    package init(_ symbolicator: Symbolicator, limits: Limits = .standard) {
        self.symbolicator = symbolicator
        self.limits = limits
    }

    /// A report and its symbolicator: some of its images are only in memory.
    package struct Report: Sendable {
        package var report: CrashReport
        package var symbolicator: Symbolicator
        /// The file's other contents: modules by their own names, the parts of the system's version.
        package var memory: MemoryImage
    }

    /// - Parameters:
    ///   - kind: the kind of file.
    ///   - origin: the file's origin; if `nil`, files of this machine do not count by their paths.
    /// - Throws: `LogError` if the file is damaged in its headers, or its machine is not known.
    package func report(_ kind: MemoryFormat, _ file: MappedFile, from origin: LogOrigin?) throws(LogError) -> Report {
        var image = try image(kind, file)
        if kind == .core { addProgram(to: &image, from: origin) }
        var walk = walk(image, kind, path: file.path, from: origin)
        if image.hasGeneratedCode(in: walk.stacks) {
            image.generated = RegisteredCode(ProcessData(finder: walk.finder)).objects
            // Its rules lead on.
            if !image.generated.isEmpty { walk = self.walk(image, kind, path: file.path, from: origin) }
        }
        var memoryReport = walk.report
        let (finder, stacks) = (walk.finder, walk.stacks)
        memoryReport.add(stacks, image)
        memoryReport.nameMissingRules(stacks, image, finder)
        memoryReport.explain(image) { finder.bytes(at: $0, count: FaultingInstruction.longest) }
        memoryReport.uncoverSignal(stacks, image)
        memoryReport.addMessages(stacks, image, ProcessData(finder: finder))
        return Report(report: memoryReport.report, symbolicator: symbolicator.using(walk.knownFiles), memory: image)
    }

    /// The stacks of a process, and how its files were found.
    private struct Walk {
        /// Without threads.
        var report: MemoryReport
        var knownFiles: KnownFiles
        var finder: ImageFinder
        var stacks: [UnwoundStack]
    }

    private func walk(_ image: MemoryImage, _ kind: MemoryFormat, path: String, from origin: LogOrigin?) -> Walk {
        let report = MemoryReport(image, format: kind.rawValue)
        let knownFiles = KnownFiles(image, report.report, path: path, provider)
        let finder = ImageFinder(
            report: report.report, provider: knownFiles, origin: origin, memory: image, given: symbolicator.options.images)
        let stacks = image.stacks(image.modules { finder.files(of: $0) }, limits: limits)
        return Walk(report: report, knownFiles: knownFiles, finder: finder, stacks: stacks)
    }

    /// Returns the file's contents without its stacks: process, cause, images, and threads without frames; and the values that the
    /// kernel passed to the program.
    package func contents(
        _ kind: MemoryFormat, _ file: MappedFile
    ) throws(LogError) -> (report: CrashReport, values: [(name: String, value: String)]) {
        let image = try image(kind, file)
        var memoryReport = MemoryReport(image, format: kind.rawValue)
        memoryReport.add([UnwoundStack](repeating: UnwoundStack(frames: [], end: .outermost), count: image.threads.count), image)
        return (memoryReport.report, AuxiliaryVector(image).values)
    }

    private func image(_ kind: MemoryFormat, _ file: MappedFile) throws(LogError) -> MemoryImage {
        switch kind {
        case .core: do throws(CoreError) { return try CoreReader.read(file, limits: limits) } catch { throw LogError(error.description) }
        case .minidump:
            do throws(MinidumpError) { return try MinidumpReader.read(file, limits: limits) } catch { throw LogError(error.description) }
        }
    }

    /// Adds the files of a core that lists none (qemu, Linux before 3.7) and has only its program's name: a
    /// file that the user named leads to the rest.
    private func addProgram(to image: inout MemoryImage, from origin: LogOrigin?) {
        guard image.files.isEmpty else { return }
        let name = image.process.name ?? ""
        let listed = provider.provableImages(named: [name]).flatMap(\.symbols.opened).compactMap { $0 as? ObjectFile }
        let programs = listed.filter(\.holdsCode)
        let named = programs.filter { !name.isEmpty && Path.name(of: $0.path).hasPrefix(name) }
        for program in named + programs where image.files.isEmpty {
            image.addFiles(program: program, path: program.path, limits: limits) { path in
                let request = ImageRequest(name: Path.name(of: path), path: path)
                let opened = provider.symbols(for: request, evidence: CodeEvidence(origin: origin)).opened
                return opened.lazy.compactMap { $0 as? ObjectFile }.first(where: \.holdsCode)
            }
        }
    }
}
