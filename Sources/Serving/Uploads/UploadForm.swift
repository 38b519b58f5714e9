internal import BinaryPrimitives

/// The files in a form (`multipart/form-data`). Nothing is copied of them.
struct UploadForm {
    struct File {
        /// Name of the field.
        var field: String
        /// Name that the client gives, without directories.
        var name: String
        var content: MappedFile
    }

    private(set) var files: [File] = []

    init(_ request: Request, _ limits: Limits) throws(Refusal) {
        let body: MappedFile
        do throws(FileError) { body = try request.body.file() } catch { throw Refusal("the request cannot be read", status: 500) }
        let contentType = request.header("Content-Type")
        let form = try body.withBytes { bytes throws(Refusal) in
            do throws(Multipart.Problem) { return try Multipart(bytes.text, contentType: contentType, limits) } catch {
                throw Refusal(error.message)
            }
        }
        for part in form.parts {
            guard let field = part.name, let name = part.fileName else { continue }
            files.append(File(field: field, name: name, content: MappedFile(body, part.content, path: PlainText.line(name, limit: 200))))
        }
    }
}

extension Request {
    /// URL of another path of this server, as its client reaches it.
    func url(_ path: String, _ service: Service) -> String {
        let isSecure = service.settings.isSecure || header("X-Forwarded-Proto")?.lowercased() == "https"
        return (isSecure ? "https://" : "http://") + (header("Host").map { PlainText.line($0, limit: 300) } ?? "localhost") + path
    }
}
