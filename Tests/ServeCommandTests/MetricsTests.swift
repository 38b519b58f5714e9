import Serving
import Testing

@testable import ServeCommand

/// The text format of Prometheus, version 0.0.4.
@Suite struct MetricsTests {
    @Test func `requests are counted by route and status, and their time in buckets that add up`() {
        let metrics = Metrics()
        for seconds in [0.0005, 0.002, 3, 100] {
            metrics.begin()
            metrics.end(route: "/v1/logs", status: seconds > 50 ? 503 : 200, seconds: seconds, received: 10, sent: 100)
        }
        metrics.begin()
        metrics.end(route: "/symbols/", status: 404, seconds: 0.01, received: 0, sent: 0)
        metrics.begin()
        var figures = EnginePool.Figures()
        figures.started = 2
        let lines = Set(metrics.text(figures, version: "1.2", pending: 3, spooled: 4).split(separator: "\n").map(String.init))
        for line in [
            "cairn_build_info{version=\"1.2\"} 1",
            "cairn_requests_total{route=\"/v1/logs\",status=\"200\"} 3",
            "cairn_requests_total{route=\"/v1/logs\",status=\"503\"} 1",
            "cairn_request_duration_seconds_bucket{route=\"/v1/logs\",le=\"0.001\"} 1",
            "cairn_request_duration_seconds_bucket{route=\"/v1/logs\",le=\"0.005\"} 2",
            "cairn_request_duration_seconds_bucket{route=\"/v1/logs\",le=\"2.5\"} 2",
            "cairn_request_duration_seconds_bucket{route=\"/v1/logs\",le=\"10.0\"} 3",
            "cairn_request_duration_seconds_bucket{route=\"/v1/logs\",le=\"+Inf\"} 4",
            "cairn_request_duration_seconds_count{route=\"/v1/logs\"} 4",
            "cairn_request_duration_seconds_bucket{route=\"/symbols/\",le=\"0.005\"} 0",
            "cairn_request_duration_seconds_bucket{route=\"/symbols/\",le=\"0.025\"} 1",
            "cairn_requests_in_progress 1",
            "cairn_received_bytes_total 40",
            "cairn_sent_bytes_total 400",
            "cairn_engine_starts_total 2",
            "cairn_pending_results 3",
            "cairn_spooled_bytes 4",
        ] { #expect(lines.contains(line), "\(line)") }
        // Every family is described before its values.
        var known: Set<Substring> = []
        for line in metrics.text(figures, version: "1.2", pending: 0, spooled: 0).split(separator: "\n") {
            let tokens = line.split(separator: " ")
            if line.hasPrefix("# TYPE") {
                known.insert(tokens[2])
            } else if !line.hasPrefix("#") {
                let name = tokens[0].prefix { $0 != "{" }
                #expect(
                    known.contains { name == $0 || ["_bucket", "_sum", "_count"].contains(String(name.dropFirst($0.count))) }, "\(line)")
            }
        }
    }
}
