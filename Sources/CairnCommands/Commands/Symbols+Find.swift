internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashLogFormats
internal import CrashLogModel
internal import Symbolication

extension Symbols {
    /// `cairn symbols find`: what a store has of an identity, or of a log's images.
    struct Find: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find the files of a build ID or UUID, or of the images in a crash log.",
            discussion: """
                cairn symbols find 4C4C44FC-5555-3144-A11B-E947A8E8E6FE --in /srv/symbols
                cairn symbols find crash.ips --in /srv/symbols

                Of a log, the images that frames are in are listed. Exit status: 0 if each has a file, 3 if one has none.
                """)

        enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

        @Argument(help: ArgumentHelp("Build IDs or UUIDs (at least 4 digits), or crash logs.", valueName: "id-or-log"), completion: .file())
        var wanted: [String]

        @Option(
            name: .customLong("in"),
            help: ArgumentHelp("A store, or any directory with symbol files. Repeatable (default: CAIRN_SYMBOLS).", valueName: "dir"),
            completion: .directory)
        var stores: [String] = []

        @Option(name: [.customLong("format"), .customShort("f")], help: "text, or json: one object for each file.")
        var format = Format.text

        func run() {
            let stores =
                self.stores.isEmpty ? (environmentVariable("CAIRN_SYMBOLS") ?? "").split(separator: ":").map(String.init) : self.stores
            guard !stores.isEmpty else {
                printUsageError("no store given. Name one with --in", of: "cairn symbols find")
                endProcess(.usage)
            }
            var status = ExitStatus.done
            for store in stores where PathKind(path: store) != .directory {
                printDiagnostic("\(store): no such directory: expected a symbol store")
                status = .failed
            }
            let images = stores.flatMap { StoredImages.list(below: $0) }
            var output = StandardOutput()
            for word in wanted { status = max(status, find(word, images, &output)) }
            output.flush()
            endProcess(status)
        }

        private func find(_ word: String, _ images: [StoredImage], _ output: inout StandardOutput) -> ExitStatus {
            guard word == "-" || PathKind(path: word) != nil else {
                let digits = Self.digits(word)
                guard digits.utf8.count >= 4, digits.utf8.allSatisfy({ hexadecimalValue($0) != nil }) else {
                    printDiagnostic("\(word): no such file, and not a build ID or UUID of at least 4 digits")
                    return .failed
                }
                let found = images.filter { Self.digits($0.id).hasPrefix(digits) }
                for image in found { write(image, &output) }
                if found.isEmpty { printDiagnostic("\(word): no file of that build ID or UUID in the store", as: .warning) }
                return found.isEmpty ? .symbolsMissing : .done
            }
            var needed: [BinaryImage] = []
            let none = Symbolicator(provider: NoSymbols())
            let isRead = LogReports(formats: .standard, isForced: false, symbolicator: none).read(word) { report, _ in
                for index in Set(report.stacks.flatMap(\.frames).compactMap(\.image)).sorted() where report.images.indices.contains(index) {
                    let image = report.images[index]
                    if image.id != nil, !needed.contains(where: { $0.id == image.id }) { needed.append(image) }
                }
            }
            var status = isRead ? ExitStatus.done : .failed
            for image in needed {
                guard let id = image.id else { continue }
                let found = images.filter { Self.digits($0.id) == id.hexadecimal }
                for image in found { write(image, &output) }
                guard found.isEmpty else { continue }
                printDiagnostic("\(LogArguments.shown(word)): no file for \(image.name) (\(id))", as: .warning)
                status = max(status, .symbolsMissing)
            }
            return status
        }

        private func write(_ image: StoredImage, _ output: inout StandardOutput) {
            var line: [UInt8] = []
            switch format {
            case .text: line += image.row.utf8
            case .json: image.json.write(to: &line)
            }
            output.append(line + [0x0A])
        }

        private static func digits(_ id: String) -> String { id.lowercased().filter { $0 != "-" } }
    }
}
