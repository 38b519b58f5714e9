internal import BinaryPrimitives
internal import CrashLogModel

/// The forms of Symbolicator's `/minidump` and `/applecrashreport`
/// (`crates/symbolicator/src/endpoints/minidump.rs`): a file, and fields in JSON. Other fields are
/// left aside.
struct SentryForm {
    /// The file that is in the form; nothing is copied of it.
    let file: MappedFile
    private(set) var options = SentryOptions()
    private(set) var sources: [SentrySource] = []

    private static let fields: Set = ["sources", "scraping", "options", "platform", "rewrite_first_module"]

    /// - Parameters:
    ///   - field: the name of the field with the file.
    ///   - kind: what the file is, for people.
    init(_ request: Request, field: String, _ kind: String, _ service: Service) throws(Refusal) {
        let limits = service.limits
        let body: MappedFile
        do throws(FileError) { body = try request.body.file() } catch { throw Refusal("the request cannot be read", status: 500) }
        let contentType = request.header("Content-Type")
        let form = try body.withBytes { bytes throws(Refusal) in
            do throws(Multipart.Problem) { return try Multipart(bytes.text, contentType: contentType, limits) } catch {
                throw Refusal(error.message)
            }
        }
        var found: MappedFile?
        for part in form.parts {
            guard let name = part.name else { continue }
            if name == field { found = MappedFile(body, part.content, path: kind) }
            guard Self.fields.contains(name) else { continue }
            guard part.content.count <= limits.formField else {
                throw Refusal("\(name): expected at most \(limits.formField) bytes", status: 413)
            }
            guard let value = RequestedJSON.value(of: body.bytes(in: part.content), limits) else { throw Refusal("\(name): expected JSON") }
            if name == "sources" {
                guard case .array(let sources) = value.content else { throw Refusal("sources: expected a list") }
                guard sources.count <= SentrySource.limit else {
                    throw Refusal("sources: expected at most \(SentrySource.limit)", status: 413)
                }
                do throws(Refusal) {
                    self.sources = try sources.map { value throws(Refusal) in try SentrySource(value, service.settings.allowedSources) }
                } catch { throw Refusal(error.message) }
            }
            if name == "options" { do throws(Refusal) { options = try SentryOptions(value) } catch { throw Refusal(error.message) } }
        }
        guard let found else { throw Refusal("missing \(kind): expected a file in the field “\(field)”") }
        file = found
    }
}

/// Facts of reports beside stacks and modules.
enum SentryFacts {
    static func system(name: String, version: String, build: String, _ architecture: Architecture?, model: String = "") -> WrittenJSON {
        .object([
            ("os_name", .string(name)), ("os_version", .string(version)), ("os_build", .string(build)),
            ("cpu_arch", .string(architecture?.sentryName ?? "unknown")), ("device_model", .string(model)),
        ])
    }

    /// A file that is in the form and cannot be read is a result, not an error of HTTP.
    static func failed(_ message: String) -> Response {
        .json(.object([("status", .string("failed")), ("message", .string(message))]))
    }
}
