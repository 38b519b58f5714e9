internal import BinaryPrimitives
internal import CrashLogModel

/// Reads `go test -json` (`cmd/test2json`): each line of a package's output is in an object of its own, and those of several packages
/// alternate.
///
///     {"Time":"…","Action":"output","Package":"example.org/shop","Test":"TestTotals","Output":"    cart_test.go:15: total 4, want 5\n"}
///     {"Time":"…","Action":"fail","Package":"example.org/shop","Elapsed":0.007}
struct GoTestEvents: Sendable {
    private var outputs: [String: [UInt8]] = [:]
    /// A report has come out of one of them: it is about a test that seems to have printed nothing.
    private(set) var hasReport = false

    private static let packageLimit = 1000
    /// Bytes of one package's output that are kept.
    private static let outputLimit = 4 << 20

    /// - Returns: `nil` where the line is none of these; else the output of a package whose tests have ended, without their objects.
    mutating func read(_ line: Span<UInt8>) -> [UInt8]? {
        guard line.hasPrefix("{\""), line.firstRange(of: "\"Action\":\"") != nil, let value = try? JSONParser().parse(line),
            let action = value["Action"]?.string
        else { return nil }
        guard let package = value["Package"]?.string else { return [] }
        if action == "output", let text = value["Output"]?.string {
            guard outputs[package] != nil || outputs.count < Self.packageLimit, outputs[package, default: []].count < Self.outputLimit
            else {
                return []
            }
            outputs[package, default: []] += Array(text.utf8)
            return []
        }
        guard action == "fail" || action == "pass", value["Test"] == nil else { return [] }
        return outputs.removeValue(forKey: package) ?? []
    }

    /// A report has come out of the text.
    mutating func meetReport() { hasReport = hasReport || !outputs.isEmpty }

    /// The output of packages whose end has not come.
    mutating func finish() -> [[UInt8]] {
        defer { outputs = [:] }
        return outputs.sorted { $0.key < $1.key }.map(\.value)
    }
}
