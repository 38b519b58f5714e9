internal import BinaryPrimitives
internal import SymbolFiles

/// A folder with the layout of a server's paths, given as `file:///DIR`: elfutils' client supports such URLs too, for shared file
/// systems.
struct FolderServer: FileServer {
    let name: String
    private let folder: String

    /// - Returns: `nil` for any other server.
    init?(_ server: SymbolServer) {
        guard server.url.hasPrefix("file:///") else { return nil }
        name = server.url
        folder = String(server.url.dropFirst("file://".utf8.count))
    }

    func fetch(_ path: String, before deadline: ContinuousClock.Instant) async -> ServerReply {
        let path = Path.join(folder, path)
        guard PathKind(path: path) == .file else { return .absent() }
        do throws(FileError) {
            let file = try MappedFile(path: path)
            return .file(FileBody(size: file.size, pieces: FilePieces(file: file)))
        } catch {
            return .failed(error.problem, isTransient: false)
        }
    }
}

/// A file, a megabyte at a time.
private struct FilePieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Failure = any Error

    let file: MappedFile
    private var position = 0

    init(file: MappedFile) { self.file = file }

    mutating func next() async throws -> [UInt8]? {
        let piece = file.bytes(in: position..<position + 1 << 20)
        position += piece.count
        return piece.isEmpty ? nil : piece
    }

    func makeAsyncIterator() -> FilePieces { self }
}
