import BinaryPrimitives
import Serving

/// A form with the fields given, as an HTTP client writes it.
func form(_ fields: [(name: String, content: [UInt8])], boundary: String = "AaB03x") -> [UInt8] {
    var body: [UInt8] = []
    for field in fields {
        body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"; filename=\"a b.dmp\"\r\n\r\n".utf8
        body += field.content
        body += "\r\n".utf8
    }
    return body + Array("--\(boundary)--\r\n".utf8)
}

extension Service {
    func post(_ path: String, form fields: [(name: String, content: [UInt8])]) -> Response {
        let headers = [(name: "Content-Type", value: "multipart/form-data; boundary=AaB03x")]
        return respond(to: Request("POST", path, headers: headers, body: form(fields)))
    }
}
