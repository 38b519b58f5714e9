internal import BinaryPrimitives
internal import Serving
internal import Synchronization

/// Counters in the form that Prometheus reads (“Exposition formats”, the text format 0.0.4).
final class Metrics: Sendable {
    /// Seconds up to which requests are counted.
    private static let bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

    private struct Series: Hashable {
        var route: String
        var status: Int
    }

    /// Times of requests.
    private struct Times {
        var buckets = [Int](repeating: 0, count: Metrics.bounds.count + 1)
        var seconds = 0.0
    }

    private struct State {
        var requests: [Series: Int] = [:]
        var times: [String: Times] = [:]
        var received = 0
        var sent = 0
        var inProgress = 0
        var facts = RequestFacts()
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.inProgress += 1 } }

    /// - Parameter route: of the service, not what the client wrote: there are few.
    /// - Parameter facts: of the request, and the engine's counters.
    func end(route: String, status: Int, seconds: Double, received: Int, sent: Int, _ facts: RequestFacts = RequestFacts()) {
        state.withLock { state in
            state.facts.found += facts.found
            state.facts.missing += facts.missing
            state.facts.downloaded += facts.downloaded
            state.facts.missed += facts.missed
            state.facts.failed += facts.failed
            state.facts.walks += facts.walks
            state.facts.opened += facts.opened
            state.inProgress -= 1
            state.requests[Series(route: route, status: status), default: 0] += 1
            state.times[route, default: Times()].buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            state.times[route]?.seconds += seconds
            state.received += received
            state.sent += sent
        }
    }

    func text(_ engine: EnginePool.Figures, version: String, pending: Int, spooled: Int) -> String {
        let state = state.withLock { $0 }
        var text = ""
        func family(_ name: String, _ type: String, _ help: String) {
            text += "# HELP cairn_\(name) \(help)\n# TYPE cairn_\(name) \(type)\n"
        }
        func single(_ name: String, _ type: String, _ help: String, _ value: Int) {
            family(name, type, help)
            text += "cairn_\(name) \(value)\n"
        }
        family("build_info", "gauge", "The version that runs.")
        text += "cairn_build_info{version=\"\(version)\"} 1\n"
        family("requests_total", "counter", "Requests by route and status.")
        for (series, count) in state.requests.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }) {
            text += "cairn_requests_total{route=\"\(series.route)\",status=\"\(series.status)\"} \(count)\n"
        }
        family("request_duration_seconds", "histogram", "Time from a request's head to the end of its response.")
        for (route, times) in state.times.sorted(by: { $0.key < $1.key }) {
            var sum = 0
            for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], times.buckets) {
                sum += count
                text += "cairn_request_duration_seconds_bucket{route=\"\(route)\",le=\"\(bound)\"} \(sum)\n"
            }
            text += "cairn_request_duration_seconds_sum{route=\"\(route)\"} \(times.seconds)\n"
            text += "cairn_request_duration_seconds_count{route=\"\(route)\"} \(sum)\n"
        }
        func results(_ name: String, _ help: String, _ values: [(String, Int)]) {
            family(name, "counter", help)
            for (result, value) in values { text += "cairn_\(name){result=\"\(result)\"} \(value)\n" }
        }
        let facts = state.facts
        results("modules_total", "Modules of requests with symbols, and without.", [("found", facts.found), ("missing", facts.missing)])
        single(
            "modules_opened_total", "counter", "Modules whose symbol files were opened; those of other requests were open.", facts.opened)
        results(
            "downloads_total", "Files that were requested from other servers.",
            [("found", facts.downloaded), ("missing", facts.missed), ("failed", facts.failed)])
        single("folder_scans_total", "counter", "Folders whose files were listed.", facts.walks)
        single("requests_in_progress", "gauge", "Requests whose responses are not sent yet.", state.inProgress)
        single("received_bytes_total", "counter", "Bytes of request bodies.", state.received)
        single("sent_bytes_total", "counter", "Bytes of response bodies, before compression.", state.sent)
        single("engine_waiting", "gauge", "Requests that wait for an engine.", engine.waiting)
        single("engine_running", "gauge", "Requests that an engine handles.", engine.running)
        single("engine_starts_total", "counter", "Engines that were started.", engine.started)
        single("engine_crashes_total", "counter", "Requests that made an engine end.", engine.crashes)
        single("engine_late_total", "counter", "Requests that took longer than they may.", engine.late)
        single("engine_refused_total", "counter", "Requests that were refused because too many waited.", engine.refused)
        single("engine_displaced_total", "counter", "Requests that gave their place to other clients.", engine.displaced)
        single("engine_memory_bytes", "gauge", "Memory of the engine that is its own.", engine.memory)
        single("pending_results", "gauge", "Results that may be fetched later.", pending)
        single("spooled_bytes", "gauge", "Bytes of request bodies in temporary files.", spooled)
        return text
    }
}
