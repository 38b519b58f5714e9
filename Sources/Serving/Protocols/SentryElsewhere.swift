/// Routes of Symbolicator that this server does not have. Each is refused with a message of its
/// own, so that a client's log says why.
enum SentryElsewhere {
    static let routes = [
        route(
            "/symbolicate-any",
            "this server fetches nothing from a storage_url: please send the file itself to /minidump or /applecrashreport"),
        route("/symbolicate-js", "this server symbolicates native stacks only: JavaScript needs a server that reads source maps"),
        route(
            "/symbolicate-jvm", "this server symbolicates native stacks only: Java and Kotlin need a server that reads ProGuard mappings"),
    ]

    private static func route(_ path: String, _ message: String) -> Route {
        let description = RouteDescription(path: path, summary: "Not here: \(message).", results: [:], refusals: [422])
        return Route(path: path, method: "POST", errors: .detail, isWork: false, descriptions: [description]) { (_, _) throws(Refusal) in
            throw Refusal(message, status: 422)
        }
    }
}
