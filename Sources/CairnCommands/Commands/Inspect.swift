internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import CrashLogModel
internal import CrashReports
internal import ObjectFiles
internal import SymbolFiles

/// `cairn inspect FILE…`: what a file is, who it is, what it knows, and where it points.
struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show an object file's type, architecture, build ID and debug information, or what a core file or minidump holds.")

    @Argument(
        help: "Object files, dSYM bundles, kernel caches, shared caches, archives of them (APK, ZIP, tar), core files and minidumps.",
        completion: .file())
    var files: [String]

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(name: [.customLong("format"), .customShort("f")], help: "text, or json: one object for each image.")
    var format = Format.text

    func run() {
        var output = StandardOutput()
        var status = ExitStatus.done
        for path in files {
            if let isGood = appendMemory(path, to: &output) {
                if !isGood { status = .failed }
                continue
            }
            do throws(ObjectFileError) {
                if SharedCache.isCache(path), let cache = try OpenSharedCaches.shared.cache(at: path) {
                    let inspected = InspectedSharedCache(cache)
                    append(inspected.lines, inspected.json, to: &output)
                    continue
                }
                if OpenArchives.isArchive(path), let archive = try OpenArchives.shared.archive(at: path) {
                    if !append(archive, to: &output) { status = .failed }
                    continue
                }
                let results = try ObjectFiles.openEach(path: path)
                let objects = results.compactMap { try? $0.get() }
                for case .failure(let error) in results {
                    // Beside others it is one slice, member or entry that is damaged.
                    if objects.isEmpty { throw error }
                    printDiagnostic(error.description, as: .note)
                }
                for object in objects {
                    try append(object, to: &output)
                }
            } catch {
                printDiagnostic(error.description)
                status = .failed
            }
        }
        output.flush()
        endProcess(status)
    }

    /// - Returns: whether it could be read; `nil` for what is no core file and no minidump.
    private func appendMemory(_ path: String, to output: inout StandardOutput) -> Bool? {
        // A folder, such as a dSYM bundle, is neither.
        guard PathKind(path: path) == .file, var input = try? LogBytes(path), let memory = try? input.memory() else { return nil }
        do throws(LogError) {
            let inspected = try InspectedMemory(memory.kind, memory.file, path: path)
            append(inspected.lines, inspected.json, to: &output)
            return true
        } catch {
            printDiagnostic("\(path): \(error)")
            return false
        }
    }

    private func append(_ lines: [String], _ json: WrittenJSON, to output: inout StandardOutput) {
        var text: [UInt8] = []
        switch format {
        case .text: for line in lines { text += (PlainText.line(line) + "\n").utf8 }
        case .json:
            json.write(to: &text)
            text.append(UInt8(ascii: "\n"))
        }
        output.append(text)
    }

    /// The objects in an archive, one member after another. For members that are something else
    /// nothing is printed.
    /// - Returns: whether every one could be read, and there was one.
    private func append(_ archive: FileArchive, to output: inout StandardOutput) -> Bool {
        var isGood = true
        var isEmpty = true
        for number in archive.members.indices {
            do throws(ObjectFileError) {
                for object in try ObjectFiles.openAll(archive.contents(of: number)) {
                    try append(object, to: &output)
                }
                isEmpty = false
            } catch  where error.kind == .unknownFormat {
                continue
            } catch {
                printDiagnostic(error.description)
                isGood = false
            }
        }
        if isGood, isEmpty {
            printDiagnostic("\(archive.path): no object file in the \(archive.format.rawValue): expected ELF, Mach-O or PE")
        }
        return isGood && !isEmpty
    }

    /// - Throws: `ObjectFileError` where the file was changed while it was read.
    private func append(_ object: ObjectFile, to output: inout StandardOutput) throws(ObjectFileError) {
        let inspected = InspectedObject(object)
        let (lines, json) = (inspected.lines, inspected.json)
        if let change = object.file.change { throw ObjectFileError(change) }
        append(lines, json, to: &output)
    }
}
