// A server's handler of requests that reads past a list's end, called back from a library.
struct Request {
    var path: [String]
    var query: [Int: String]
}

@inline(__always)
func parameter(_ number: Int, of request: Request) -> String {
    request.query[number]!  // not given
}

final class Controller {
    let prefix: String

    init(prefix: String) { self.prefix = prefix }

    @inline(never)
    func respond(to request: Request) -> String { prefix + parameter(request.path.count, of: request) }
}

@inline(never)
func serve(_ requests: [Request], _ respond: (Request) -> String) -> Int {
    var length = 0
    for request in requests { length += respond(request).utf8.count }
    return length
}

Backtrace.install()
let controller = Controller(prefix: "/")
let request = Request(path: CommandLine.arguments, query: [7: "seven"])
print(serve([request]) { controller.respond(to: $0) })
