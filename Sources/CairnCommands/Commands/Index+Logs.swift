internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication

extension Index {
    /// `--for`: keeps the indexes of the files that resolve frames of logs. What is kept already is
    /// not made again.
    func makeIndexesForLogs() -> ExitStatus {
        guard let cache else {
            complain(Self.noCache)
            return .failed
        }
        let arguments = symbols.flatMap { ["--symbols", $0] } + (arch.map { ["--arch", $0] } ?? []) + (noLocal ? ["--no-local"] : [])
        guard let source = try? SymbolOptions.parse(arguments) else { return .usage }
        let (provider, isComplete) = source.provider(debuginfod.place(quiet: false))
        var status = isComplete ? ExitStatus.done : .failed
        let reports = LogReports(
            formats: source.formats, isForced: false, symbolicator: Symbolicator(provider: provider, options: source.symbolication))
        var paths: [String] = []
        for log in LogPaths(logs).logs {
            let origin = source.origin(of: log)
            let isRead = reports.read(log, from: origin) { report, symbolicator in
                for image in symbolicator.symbolicate(report, from: origin).images {
                    for file in image.files where !paths.contains(file.candidate.path) { paths.append(file.candidate.path) }
                }
            }
            if !isRead { status = .failed }
        }
        for path in paths { keepIndexes(of: path, in: cache) }
        return status
    }

    private func keepIndexes(of path: String, in cache: IndexCache) {
        var output = StandardOutput()
        for object in ((try? SymbolFileReader.openAll(path: path)) ?? []).compactMap({ $0 as? ObjectFile })
        where object.hasDebugInformation {
            do throws(IndexRefusal) {
                let index = try cache.indexOrMade(object)
                output.append(PlainText.line("\(index.file.path): \(index.file.size) bytes, of \(object.path)") + "\n")
            } catch {
                complain("\(object.path): no index was built, so the file itself is used: \(error.reason)", as: .note)
            }
        }
        output.flush()
    }
}
