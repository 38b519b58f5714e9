import BinaryPrimitives
import CrashLogModel
import SymbolFiles
import SymbolSources
import Symbolication
import Testing

@testable import BatchProcessing

/// A log's first report as `cairn stream` has it, without symbols.
struct LoggedCrash {
    private struct NoSymbols: SymbolProvider {
        func symbols(for request: ImageRequest) -> ImageSymbols { ImageSymbols(source: nil) }
        func unslidImages(processName: String?) -> [UnslidImage] { [] }
    }

    private let members: JSONValue

    init(_ log: String) throws {
        let responder = StreamResponder(LogTraces(symbolicator: Symbolicator(provider: NoSymbols())), SignatureRules(), with: [.stack])
        let reply = responder.reply(to: .pair(key: [], log: Array(log.utf8)))
        members = try JSONGrammar.document(reply.line.span)
        try #require(!reply.isError, "\(String(decoding: reply.line, as: UTF8.self))")
    }

    private func text(_ key: String) -> String? { members[key]?.string }

    var title: String? { text("title") }
    var group: String? { text("group") }
    var causeType: String? { text("cause_type") }
    var message: String? { text("message") }
    /// `own_frame` as `FUNCTION FILE:LINE`.
    var ownFrame: String? {
        guard let frame = members["own_frame"], let function = frame["function"]?.string else { return nil }
        return "\(function) \(frame["file"]?.string ?? ""):\(frame["line"]?.int ?? 0)"
    }
}
