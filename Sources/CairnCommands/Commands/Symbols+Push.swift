internal import ArgumentParser
internal import CommandSupport
internal import Console

extension Symbols {
    /// The options of `cairn-tools push`, which has the HTTP client.
    struct Push: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Upload symbol files to a server (cairn serve).",
            discussion: """
                The server files them by build ID or UUID. It never replaces a file.

                Exits with status 1 if a file was rejected.

                cairn symbols push https://symbols.example build/ --token-file TOKEN
                """)

        @Argument(help: ArgumentHelp("URL of the server.", valueName: "url"))
        var server: String

        @Argument(help: "Symbol files, dSYM bundles, archives and directories of them.", completion: .file())
        var paths: [String]

        @Option(help: ArgumentHelp("File with the token, which only you can read.", valueName: "path"), completion: .file())
        var tokenFile: String

        func run() {
            // An argument that begins with a hyphen is a path, too.
            endProcess(Neighbours().runTools("push", ["--token-file", tokenFile, "--", server] + paths))
        }
    }
}
