internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication

/// `cairn symbols add`, `list`, `find`, `check`, `prune`, `push`: a build's symbol files, kept by
/// identity.
struct Symbols: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manage a symbol store (debug files filed by build ID or UUID).",
        discussion: """
            The store is a directory for --symbols. gdb also reads its ELF files (set debug-file-directory STORE), and LLDB its Mach-O files.

            cairn symbols add build/ --to /srv/symbols
            cairn symbols find crash.ips --in /srv/symbols
            cairn crash.log --symbols /srv/symbols
            cairn symbols push https://symbols.example build/ --token-file TOKEN
            """,
        subcommands: [Add.self, List.self, Find.self, Check.self, Prune.self, Push.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add files, dSYM bundles and directories to a store.")

        @Argument(help: "Symbol files, dSYM bundles, archives and directories of them.")
        var paths: [String]

        @Option(help: ArgumentHelp("Directory of the store, created if needed.", valueName: "dir"))
        var to: String

        func run() {
            var run = AddRun(store: SymbolStore(root: to))
            for path in paths { run.add(path) }
            run.finish()
            endProcess(run.status)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the images of a store, or of any directory with symbol files.")

        enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

        @Argument(help: "The store.")
        var store: String

        @Option(name: [.customLong("format"), .customShort("f")], help: "text, or json: one object for each image.")
        var format = Format.text

        func run() {
            guard PathKind(path: store) == .directory else {
                printDiagnostic("\(store): no such directory: expected a symbol store")
                endProcess(.failed)
            }
            var output = StandardOutput()
            for image in StoredImages.list(below: store) {
                var line: [UInt8] = []
                switch format {
                case .text: line += image.row.utf8
                case .json: image.json.write(to: &line)
                }
                output.append(line + [0x0A])
            }
            output.flush()
            endProcess(.done)
        }
    }

    /// The options of `cairn-tools push`, which has the HTTP client.
    struct Push: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Upload symbol files to a server (cairn serve).",
            discussion: """
                The server files them by build ID or UUID. It never replaces a file.

                Exits with status 1 if a file was rejected.

                cairn symbols push https://symbols.example build/ --token-file TOKEN
                """)

        @Argument(help: ArgumentHelp("URL of the server.", valueName: "url"))
        var server: String

        @Argument(help: "Symbol files, dSYM bundles, archives and directories of them.", completion: .file())
        var paths: [String]

        @Option(help: ArgumentHelp("File with the token, which only you can read.", valueName: "path"), completion: .file())
        var tokenFile: String

        func run() {
            // An argument that begins with a hyphen is a path, too.
            endProcess(SiblingPrograms().runTools("push", ["--token-file", tokenFile, "--", server] + paths))
        }
    }
}

/// One run of `cairn symbols add`.
private struct AddRun {
    private let store: SymbolStore
    private(set) var status = ExitStatus.done
    private var added = 0
    private var known = 0
    private var withoutIdentity = 0
    private var output = StandardOutput()

    init(store: SymbolStore) { self.store = store }

    mutating func add(_ path: String) {
        switch PathKind(path: path) {
        case .file where SharedCache.isCache(path): add(cache: path)
        case .file where OpenArchives.isArchive(path): for file in SymbolTree.files(below: path) { add(file: file, isNamed: false) }
        case .file: add(file: path, isNamed: true)
        case .directory:
            for file in SymbolTree.files(below: path) { add(file: file, isNamed: false) }
            for cache in SymbolTree.sharedCaches(below: path) { add(cache: cache) }
        case .other, nil:
            printDiagnostic("\(path): no such file or directory")
            status = .failed
        }
    }

    /// A shared cache is kept whole.
    private mutating func add(cache path: String) {
        do throws(ObjectFileError) {
            guard let cache = try OpenSharedCaches.shared.cache(at: path) else { return }
            for file in cache.files { if let problem = file.problem { printDiagnostic("\(file.path) \(problem)", as: .warning) } }
            do throws(FileError) { notify(try store.add(cache), path, isNamed: true) } catch { fail(error) }
        } catch {
            printDiagnostic(error.description)
            status = .failed
        }
    }

    private mutating func fail(_ error: FileError) {
        printDiagnostic(error.description)
        status = .failed
    }

    /// - Parameter isNamed: the user named the file itself, and hears why it is not kept.
    private mutating func add(file path: String, isNamed: Bool) {
        do throws(FileError) {
            if let outcome = try store.addMap(path) { return notify(outcome, path, isNamed: isNamed) }
            let files: [any SymbolFile]
            do throws(ObjectFileError) { files = try SymbolFileReader.openAll(path: path) } catch {
                if isNamed || error.kind != .unknownFormat {
                    printDiagnostic(error.description)
                    status = .failed
                }
                return
            }
            notify(try store.add(path, files), path, isNamed: isNamed)
        } catch {
            printDiagnostic(error.description)
            status = .failed
        }
    }

    private mutating func notify(_ outcome: SymbolStore.Outcome, _ path: String, isNamed: Bool) {
        switch outcome {
        case .added(let paths):
            added += 1
            for path in paths { output.append("added \(PlainText.line(path))\n") }
        case .known: known += 1
        case .withoutIdentity:
            withoutIdentity += 1
            if isNamed {
                printDiagnostic("\(path): no build ID or UUID in it, so that no log can be matched with it. Link with --build-id")
            }
            if isNamed { status = .failed }
        case .noImage:
            if isNamed {
                printDiagnostic("\(path): not an image: expected a linked file, a dSYM bundle or a debug file")
                status = .failed
            }
        }
    }

    mutating func finish() {
        var summary = "\(added) added, \(known) already there"
        if withoutIdentity > 0 { summary += ", \(withoutIdentity) without a build ID or UUID skipped" }
        output.append(summary + "\n")
        output.flush()
    }
}
