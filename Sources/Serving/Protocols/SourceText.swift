internal import BinaryPrimitives
internal import CrashLogModel

/// The text of a source file for the Firefox Profiler, as samply's server gives it
/// (`samply-api/src/source`):
///
///     {"debugName": "basic", "debugId": "20AD…", "moduleOffset": "0x117a", "file": "/src/basic.cpp"}
///
///     {"symbolsLastModified": null, "sourceLastModified": null, "file": "/src/basic.cpp", "source": "int main…"}
///
/// Only a file that the debug information names at that offset is read, and only below the
/// operator's source roots.
enum SourceText {
    static let routes = [
        Route(path: "/source/v1", method: "POST", readers: .listed, descriptions: [description]) { (request, service) throws(Refusal) in
            try text(request, service)
        }
    ]

    private static let description = RouteDescription(
        path: "/source/v1", summary: "The text of a source file that debug information names, as samply’s server gives it.",
        body: [.json("SourceRequest")], results: [200: [.json("Source")]], refusals: [400, 403, 404])

    private static func text(_ request: Request, _ service: Service) throws(Refusal) -> Response {
        let payload = try RequestedJSON.value(of: request, service.limits)
        func field(_ name: String) throws(Refusal) -> String {
            guard let text = payload[name]?.string else { throw Refusal("expected a string “\(name)”") }
            return text
        }
        let module = ModuleKey(debugName: try field("debugName"), debugID: try field("debugId"))
        guard module.hasValidName else { throw Refusal("debugName has characters that no module’s name has") }
        guard module.hasValidID else { throw Refusal("expected hexadecimal digits as debugId") }
        let digits = try field("moduleOffset")
        guard digits.hasPrefix("0x"), digits.utf8.dropFirst(2).first != UInt8(ascii: "+"),
            let value = UInt64(digits.dropFirst(2), radix: 16)
        else {
            throw Refusal("expected moduleOffset as 0x and hexadecimal digits")
        }
        let path = try field("file")
        var lookup = ModuleLookup([module], service.symbolicator)
        guard lookup.modules[module]?.isFound == true else { throw Refusal("no symbols for \(module.text)", status: 404) }
        lookup.lookUp(at: [module: [ImageOffset(value)]])
        let files = lookup.functions(at: ImageOffset(value), in: module).compactMap(\.location?.file)
        guard files.contains(path) else { throw Refusal("the debug information does not name this file at \(digits)", status: 403) }
        // One response for a file that is not there and for one that must not be read.
        guard let file = service.settings.sourceRoots.open(path) else { throw Refusal("no source root has this file", status: 404) }
        guard let bytes = try? file.allBytes(limit: service.limits.sourceFile) else {
            throw Refusal("the file has more than \(service.limits.sourceFile) bytes", status: 413)
        }
        return .json(
            .object([
                ("symbolsLastModified", .null), ("sourceLastModified", .null), ("file", .string(path)),
                ("source", .string(String(decoding: bytes, as: UTF8.self))),
            ]))
    }
}
