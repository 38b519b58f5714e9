package import ArgumentParser
internal import BinaryPrimitives
internal import Console
package import SymbolFiles

/// `--debuginfod [URL…]` and `--time-budget SECONDS`: whether the network is used, and for how
/// long. It is not unless the user says so, here or in the settings.
package struct DebuginfodOptions: ParsableArguments {
    @Flag(
        name: .of(.debuginfod),
        help: ArgumentHelp(
            "Download missing debug files from debuginfod servers: the given URLs, else the config file, else $DEBUGINFOD_URLS."
        ))
    package var isRequested = false

    @Flag(name: .of(.noDebuginfod), help: "Never contact a debuginfod server.")
    package var isForbidden = false

    /// The URLs after `--debuginfod`, which `separated` has put here.
    @Option(name: .of(.debuginfodServer), help: .private)
    package var urls: [String] = []

    @Option(name: .of(.timeBudget), help: ArgumentHelp("Maximum total download time, in seconds (default: 60).", valueName: "seconds"))
    package var timeBudget: Double?

    private static let standardBudget = 60.0

    package init() {}

    package init(_ scan: inout ArgumentScan) {
        isRequested = scan.flag(.debuginfod)
        isForbidden = scan.flag(.noDebuginfod)
        urls = scan.values(.debuginfodServer)
        timeBudget = scan.number(.timeBudget)
        scan.check(self)
    }

    package func validate() throws {
        if let timeBudget, !(timeBudget > 0 && timeBudget <= 86_400) {
            throw ValidationError("--time-budget \(timeBudget): expected more than 0, up to 86400")
        }
        if let other = urls.first(where: { !DebuginfodServerList.isURL($0) }) {
            throw ValidationError("\(other): not a debuginfod server: expected http://…, https://… or file:///…")
        }
        guard !(isRequested && isForbidden) else { throw ValidationError("--debuginfod and --no-debuginfod cannot be combined") }
        guard !isRequested || !servers.isEmpty else {
            throw ValidationError("--debuginfod: no server given: expected a URL after it, or in DEBUGINFOD_URLS")
        }
    }

    /// The servers to query; none if the user did not request it.
    package var servers: [String] {
        guard !isForbidden else { return [] }
        guard urls.isEmpty else { return urls }
        switch ActiveSettings.current.settings.debuginfod {
        case .servers(let kept) where !kept.isEmpty: return kept.filter(DebuginfodServerList.isURL)
        case .yes: return DebuginfodServerList.environment
        case .servers, .no, nil: return isRequested ? DebuginfodServerList.environment : []
        }
    }

    /// The usual grammar has no option with any number of values before other arguments:
    /// `--debuginfod URL URL LOG`. What follows the option and is a URL becomes an option of its
    /// own each.
    package static func separated(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var isBehind = false
        var isOver = false
        for argument in arguments {
            if isBehind, DebuginfodServerList.isURL(argument) {
                result += OptionName.debuginfodServer.spellings + [argument]
                continue
            }
            isBehind = argument == "--debuginfod" && !isOver
            isOver = isOver || argument == "--"
            if !isOver, argument == "--strict=lines" {
                // Nor has it a flag with a value.
                result.append("--strict-lines")
            } else if !isOver, argument.hasPrefix("--debuginfod=") {
                isBehind = true
                result +=
                    OptionName.debuginfod.spellings + OptionName.debuginfodServer.spellings + [
                        String(argument.dropFirst("--debuginfod=".utf8.count))
                    ]
            } else {
                result.append(argument)
            }
        }
        return result
    }

    /// Location that asks the servers. `nil` if the user did not request it, or if the program that
    /// queries them is missing, which is reported.
    /// - Parameters:
    ///   - others: servers with other layouts, and such ones as `--symbols` names.
    ///   - quiet: nothing is printed on the terminal while files arrive.
    ///   - isEndless: the run has no end: the budget is for each request.
    ///   - service: the run has no end, and strangers cause what is requested: servers lead to public addresses alone.
    package func makeServers(
        beside others: [SymbolServer] = [], quiet: Bool, isEndless: Bool = false, service: ServiceDownloads? = nil
    ) -> SymbolServers? {
        let servers = servers.compactMap { try? SymbolServer($0, standard: [.debuginfod]) } + others
        guard !servers.isEmpty || service?.hasOtherServers == true else { return nil }
        guard let path = SiblingPrograms().tools else {
            let option = self.servers.isEmpty ? "--symbols URL" : "--debuginfod"
            printDiagnostic("\(option): the program cairn-tools was not found: expected it next to cairn, or in PATH")
            return nil
        }
        let seconds = timeBudget ?? ActiveSettings.current.settings.timeBudget ?? Self.standardBudget
        let fetcher = FetchProgram(
            path: path, command: "fetch", servers: servers, budget: .milliseconds(Int64(seconds * 1000)),
            showsProgress: !quiet && FileDescriptor.isTerminal(2), isService: isEndless || service != nil,
            options: service.map { ["--service", "--download-limit", "\($0.limit)"] } ?? [])
        return SymbolServers(servers, fetcher: fetcher, remembersMisses: !isEndless && service == nil)
    }
}

/// How a service downloads files.
package struct ServiceDownloads: Sendable {
    /// Gigabytes that downloads may have on the disk.
    package var limit: Int
    /// Requests may name servers, too.
    package var hasOtherServers: Bool

    package init(limit: Int, hasOtherServers: Bool) { (self.limit, self.hasOtherServers) = (limit, hasOtherServers) }
}
