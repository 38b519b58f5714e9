import BinaryPrimitives
import CrashLogModel
import Serving
import Testing

/// The document of `GET /openapi.json` against the service itself, and OpenAPI 3.1.
struct OpenAPITests {
    private static let service = Service.over([]) { $0.version = "1.2.3" }

    private static func paths() throws -> [(path: String, operations: [JSONMember])] {
        let document = try #require(service.get("/openapi.json").json)
        return document["paths"]?.members.map { ($0.key, $0.value.members) } ?? []
    }

    @Test func `it is JSON, of this version`() throws {
        let response = Self.service.get("/openapi.json")
        #expect(response.status == 200 && response.header("Content-Type") == "application/json")
        #expect(response.json?["openapi"]?.string == "3.1.0" && response.json?["info"]?["version"]?.string == "1.2.3")
        #expect(response.json?["info"]?["title"]?.string == "cairn")
    }

    /// And one that a parser in Swift has no lenience for.
    @Test func `every schema that is named is there`() throws {
        let response = Self.service.get("/openapi.json")
        let names = response.json?["components"]?["schemas"]?.members.map(\.key) ?? []
        #expect(names.count > 20 && Set(names).count == names.count)
        let pieces = response.text.split(separator: "\"#/components/schemas/").dropFirst()
        let wanted = Set(pieces.map { String($0.prefix { $0 != "\"" }) })
        #expect(wanted.subtracting(names).isEmpty)
        #expect(Set(names).subtracting(wanted).isEmpty)
    }

    @Test func `every route is in it`() {
        for route in Service.routes {
            #expect(!route.descriptions.isEmpty, "\(route.path)")
            #expect(route.descriptions.allSatisfy { route.serves($0.path) }, "\(route.path)")
        }
    }

    @Test func `every path in it is served, with its methods and no others`() throws {
        for (path, operations) in try Self.paths() {
            let target = path.split(separator: "{").enumerated().map { $0 == 0 ? String($1) : "x" + $1.drop { $0 != "}" }.dropFirst() }
                .joined()
            for method in ["get", "head", "post", "put", "delete", "patch"] {
                let status = Self.service.respond(to: Request(method.uppercased(), target)).status
                #expect((status != 405) == operations.contains { $0.key == method }, "\(method) \(path): \(status)")
            }
        }
    }

    @Test func `every operation says which statuses it gives, and what its path's parts are`() throws {
        let service = Self.service
        for (path, operations) in try Self.paths() {
            let parts = path.split(separator: "{").dropFirst().map { String($0.prefix { $0 != "}" }) }
            for operation in operations {
                let parameters = operation.value["parameters"]?.elements.filter { $0["in"]?.string == "path" } ?? []
                #expect(parameters.map { $0["name"]?.string } == parts, "\(path)")
                #expect(parameters.allSatisfy { $0["required"]?.isTrue == true })
                let statuses = operation.value["responses"]?.members.compactMap { Int($0.key) } ?? []
                #expect(!statuses.isEmpty && statuses == statuses.sorted(), "\(path)")
                // The status of an empty request is among them.
                let target = path.split(separator: "{").enumerated().map { $0 == 0 ? String($1) : "x" + $1.drop { $0 != "}" }.dropFirst() }
                let response = service.respond(to: Request(operation.key.uppercased(), target.joined()))
                #expect(statuses.contains(response.status), "\(operation.key) \(path): \(response.status)")
            }
        }
    }
}
