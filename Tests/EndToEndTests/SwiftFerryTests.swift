import Foundation
import TestSupport
import Testing

/// A Swift program with two stripped libraries, under every setting of Swift's backtracer: what
/// cairn writes into the logs of the stripped files, from separate debug files, against what the
/// backtracer printed of the files with symbols (`expected-NAME`).
///
/// The backtracer leaves out inlined calls whose caller its tables do not list, and then gives the
/// place of the call to the function around it. Where its rows differ, cairn's are
/// llvm-symbolizer's (`expected-llvm-symbolizer.tsv`), call by call.
struct SwiftFerryTests {
    static let folder = "logs/swift-backtrace/SwiftFerry/"
    static let symbols = "binaries/SwiftFerry/out/debug"
    /// Without a list of images the load addresses of the libraries are not known.
    static let unanswerable: Set = ["images-none.txt", "friendly-without-images.txt"]
    static let logs = ((try? run("ls", [folder], directory: TestPaths.fixture("")).lines) ?? []).filter {
        !$0.hasPrefix("expected-") && !$0.hasSuffix(".tsv") && !unanswerable.contains($0)
    }

    @Test func `every setting is there`() { #expect(Self.logs.count == 22) }

    @Test(arguments: logs) func `a stripped program's log is answered as the backtracer answers one with symbols`(log: String) throws {
        // The log's own setting has mangled names.
        let options = log == "mangled.txt" ? ["--no-demangle"] : []
        let result = try cairn([Self.folder + log, "--symbols", Self.symbols, "-q"] + options).requireSuccess()
        let expected = String(decoding: try readFile(TestPaths.fixture(Self.folder + "expected-" + log)), as: UTF8.self)
        let answered = try BacktracerFrame.frames(of: result.output).filter(\.isOurs)
        let own = try BacktracerFrame.frames(of: expected).filter(\.isOurs)
        #expect(own.count >= 4)
        #expect(answered.allSatisfy { $0.rows.last?.name != "<unknown>" })
        if own[0].address == nil {
            compareRows(answered, own)
            return
        }
        var rest = answered[...]
        for frame in own {
            // `medium` leaves out frames that it knows to be thunks, or nobody's code.
            rest = rest.drop { $0.address != frame.address }
            let first = rest.popFirst()
            let other = try #require(first, "\(frame)")
            if other.rows == frame.rows { continue }
            // Only frames with inlined calls differ.
            #expect(other.rows.count > 1, "\(other) \(frame)")
            // Calls in `<compiler-generated>` get the file of their line: the library has one,
            // whose line 67 declares `hook`.
            let (generated, file) = ("/<compiler-generated>:", "/src/Quay.swift:")
            let locations = Self.answers[frame.address ?? ""]?.map { row in
                row.locationInImage.hasPrefix(generated) ? file + row.locationInImage.dropFirst(generated.count) : row.locationInImage
            }
            #expect(other.rows.map(\.locationInImage) == locations, "\(other) \(frame)")
            // None of the calls that the backtracer shows is missing; the function that holds the
            // code is the same, with the same offset and attributes.
            var calls = other.rows[...]
            for row in frame.rows {
                calls = calls.drop { $0.name != row.name }
                let found = calls.popFirst()
                #expect(found != nil, "\(row.name)")
            }
            // If `medium` leaves out a thunk, only the calls inlined into it are shown.
            if frame.rows.last?.attributes.contains("inlined") == true { continue }
            let outer = (other.rows.last, frame.rows.last)
            #expect(
                outer.0?.name == outer.1?.name && outer.0?.offset == outer.1?.offset && outer.0?.attributes == outer.1?.attributes,
                "\(other)")
        }
    }

    /// `friendly` prints no addresses, no thunks and not what nobody wrote.
    private func compareRows(_ answered: [BacktracerFrame], _ own: [BacktracerFrame]) {
        var rest = answered.flatMap(\.rows)[...]
        for row in own.flatMap(\.rows) {
            rest = rest.drop { $0.name != row.name || $0.offset != row.offset || $0.image != row.image }
            let found = rest.popFirst()
            #expect(found != nil, "\(row)")
        }
    }

    @Test(arguments: unanswerable.sorted()) func `a log that does not say where the libraries were is left as it was, with the reason`(
        log: String
    ) throws {
        let result = try cairn(Self.folder + log, "--symbols", Self.symbols, "-q")
        #expect(result.standardOutput == (try readFile(TestPaths.fixture(Self.folder + log))))
        let text = try cairn(Self.folder + log, "--symbols", Self.symbols, "-q", "--format", "text").output
        #expect(text.contains("0x00007ffff7fbd") && text.contains("the log has no module list"))
    }

    /// The runtime has lost as much as the backtracer without the libraries' symbols; it prints no
    /// places itself, so llvm-symbolizer and the names are compared.
    @Test func `the runtime's own trace is answered, its exported names included`() throws {
        let trace = "logs/swift-runtime-trace/SwiftFerry/trace.txt"
        let result = try cairn(trace, "--symbols", Self.symbols, "--format", "json", "-q")
        let report = try #require(try jsonLogs(result).first)
        let frames = report.threads[0].frames
        #expect(frames.count == 17)
        // Rows 4 to 13 are the program's and its libraries'.
        let names = frames[4...13].map { $0.functions?.last?.name ?? "" }
        #expect(
            names == [
                "closure #2 in board(_:)", "Crane.record(_:)", "partial apply for closure #1 in Crane.withLift(_:)",
                "@objc hook(load:context:)", "turn",
                "winch_pull", "Crane.withLift(_:)", "Crane.unload()", "board(_:)", "main",
            ])
        // The backtracer's own report of the same crash, at the same addresses.
        let other = try BacktracerFrame.frames(
            of: String(decoding: try readFile(TestPaths.fixture(Self.folder + "expected-luggage.txt")), as: UTF8.self))
        let byAddress = Dictionary(other.map { ($0.address ?? "", $0) }) { first, _ in first }
        var compared = 0
        for frame in frames[4...13] {
            guard let address = frame.address, let number = UInt64(address.dropFirst(2), radix: 16) else { continue }
            let padded = String(repeating: "0", count: 16 - String(number, radix: 16).count) + String(number, radix: 16)
            guard let row = byAddress["0x" + padded]?.rows.last else { continue }
            #expect(frame.functions?.last?.name == row.name)
            // The raw address, where the backtracer counts to the one that it looks up.
            #expect(frame.functions?.last?.offset == row.offset.map { $0 + 1 })
            compared += 1
        }
        #expect(compared == 10)
    }

    /// llvm-symbolizer's results by address, innermost first.
    static let answers: [String: [BacktracerFrame.Row]] = ((try? table(TestPaths.fixture(folder + "expected-llvm-symbolizer.tsv"))) ?? [])
        .reduce(into: [:]) { answers, row in
            let location = [row["file"] ?? "", row["line"] ?? "", row["column"] ?? ""].filter { $0 != "0" }.joined(separator: ":")
            answers[row["address"] ?? "", default: []].append(
                BacktracerFrame.Row(
                    attributes: [], name: row["linkage_name"] ?? "", offset: nil, image: row["image"] ?? "", location: location))
        }
}

/// One frame as Swift's backtracer prints it: an address, and a row for each inlined call and for
/// the function that holds them. Read by splitting at the words that the backtracer puts between
/// the parts; nothing of cairn is used.
struct BacktracerFrame: CustomStringConvertible {
    struct Row: Equatable {
        var attributes: [String]
        var name: String
        var offset: UInt64?
        var image: String
        var location: String
        /// Source location and image, without the name.
        var locationInImage: String { location + " in " + image }
    }
    var address: String?
    var rows: [Row]

    var isOurs: Bool { rows.allSatisfy { ["ferry", "libquay.so", "libwinch.so"].contains($0.image) } }
    var description: String {
        (address ?? "") + rows.map { " \($0.attributes) \($0.name) \($0.offset ?? 0) \($0.image) \($0.location)" }.joined(separator: ";")
    }

    static func frames(of log: String) throws -> [BacktracerFrame] {
        if let brace = log.firstIndex(of: "{"), log.contains("\"kind\": \"crashReport\"") {
            return try frames(ofJSON: String(log[brace...]))
        }
        var frames: [BacktracerFrame] = []
        for line in log.components(separatedBy: "\nRegisters:")[0].components(separatedBy: "\nImages")[0].split(separator: "\n") {
            guard let (address, row) = row(plain(line)) else { continue }
            frames.add(address, row)
        }
        return frames
    }

    private static func plain(_ line: Substring) -> String {
        line.split(separator: "\u{1B}[", omittingEmptySubsequences: false).enumerated().map { index, part in
            index == 0 ? part[...] : part[(part.firstIndex(of: "m").map { part.index(after: $0) } ?? part.startIndex)...]
        }.joined()
    }

    private static func row(_ line: String) -> (String?, Row)? {
        var tokens = line.split(separator: " ")[...]
        guard let number = tokens.popFirst(), number.allSatisfy(\.isNumber) else { return nil }
        let attributes = tokens.prefix { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) }
        tokens = tokens.dropFirst(attributes.count)
        var address: String?
        if let word = tokens.first, word.hasPrefix("0x") { address = String(tokens.removeFirst()) }
        let parts = tokens.joined(separator: " ").components(separatedBy: " in ")
        guard parts.count > 1, let last = parts.last else { return nil }
        let imageAndLocation = last.components(separatedBy: " at ")
        var name = parts.dropLast().joined(separator: " in ")
        var offset: UInt64?
        if let plus = name.range(of: " + ", options: .backwards), let value = UInt64(name[plus.upperBound...]) {
            offset = value
            name = String(name[..<plus.lowerBound])
        }
        let location = imageAndLocation.count > 1 ? imageAndLocation[1].replacing("//<", with: "/<") : ""
        return (address, Row(attributes: attributes, name: name, offset: offset, image: imageAndLocation[0], location: location))
    }

    private struct Report: Decodable {
        struct Location: Decodable { var file: String, line: Int, column: Int }
        struct Frame: Decodable {
            var kind: String
            var address: String?
            var description: String?
            var offset: UInt64?
            var image: String?
            var inlined: Bool?
            var thunk: Bool?
            var system: Bool?
            var sourceLocation: Location?
        }
        struct Thread: Decodable { var frames: [Frame] }
        var threads: [Thread]
    }

    private static func frames(ofJSON text: String) throws -> [BacktracerFrame] {
        var frames: [BacktracerFrame] = []
        for frame in try JSONDecoder().decode(Report.self, from: Data(text.utf8)).threads.flatMap(\.frames) where frame.address != nil {
            let flags = [
                ("ra", frame.kind == "returnAddress"), ("inlined", frame.inlined), ("thunk", frame.thunk), ("system", frame.system),
            ]
            let locationText = frame.sourceLocation.map {
                [$0.file, "\($0.line)", "\($0.column)"].filter { $0 != "0" }.joined(separator: ":")
            }
            let suffix = " + \(frame.offset ?? 0)"
            let name = frame.description ?? ""
            frames.add(
                frame.address,
                Row(
                    attributes: flags.filter { $0.1 == true }.map(\.0),
                    name: name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name,
                    offset: frame.inlined == true || frame.offset == 0 ? nil : frame.offset, image: frame.image ?? "",
                    location: (locationText ?? "").replacing("//<", with: "/<")))
        }
        return frames
    }
}

extension [BacktracerFrame] {
    /// A row that follows an inlined call at the same address belongs to the same frame.
    fileprivate mutating func add(_ address: String?, _ row: BacktracerFrame.Row) {
        if let last, last.address == address, last.rows.last?.attributes.contains("inlined") == true {
            self[count - 1].rows.append(row)
        } else {
            append(BacktracerFrame(address: address, rows: [row]))
        }
    }
}
