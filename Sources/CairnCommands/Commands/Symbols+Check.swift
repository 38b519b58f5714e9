internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

extension Symbols {
    /// `cairn symbols check`: what files are good for, before they are kept or uploaded.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what each symbol file provides: functions, lines, names only, or nothing.",
            discussion: """
                cairn symbols check build/App.dSYM obj/local/arm64-v8a/libgame.so

                Exit status: 0 if every file has an identifier and names, 1 if one has not.
                """)

        @Argument(help: "Symbol files, dSYM bundles and archives.", completion: .file())
        var files: [String]

        func run() {
            var output = StandardOutput()
            var status = ExitStatus.done
            for path in files { status = max(status, Self.check(path, &output)) }
            output.flush()
            endProcess(status)
        }

        private static func check(_ path: String, _ output: inout StandardOutput) -> ExitStatus {
            let paths = OpenArchives.isArchive(path) ? SymbolTree.files(below: path) : [path]
            var status = ExitStatus.done
            for path in paths {
                do throws(ObjectFileError) {
                    for file in try SymbolFileReader.openAll(path: path) {
                        let (verdict, isUsable) = verdict(file)
                        let machine = file.machine.map { " (\($0.name))" } ?? ""
                        output.append(PlainText.line("\(path)\(machine): \(verdict)") + "\n")
                        if !isUsable { status = .failed }
                    }
                } catch {
                    printDiagnostic(error.description)
                    status = .failed
                }
            }
            return status
        }

        private static func verdict(_ file: any SymbolFile) -> (String, Bool) {
            guard let id = file.identity else { return ("not usable: no build ID or UUID. Link with --build-id", false) }
            let which = "\(id.uuid == nil ? "build ID" : "UUID") \(id)"
            if file.hasDebugInformation { return ("\(which): functions, files and lines", true) }
            var names = 0
            ImageSource.open([file], hiddenNames: BCSymbolMapSearch(symbols: [])).forEachFunction { _, _ in names += 1 }
            return names > 0
                ? ("\(which): \(names) functions, no lines. Pass the unstripped file, or build with -g", true)
                : ("\(which): not usable: stripped. Pass the unstripped file", false)
        }
    }
}
