import BinaryPrimitives
import CrashReports
import TestSupport
import Testing

/// Stacks that no program prints: the same frames in rows of any shape, behind any prefix. What they must give is what they were made of.
struct AnyShapeTests {
    /// What a stack is made of: its functions, and where each row says that it is.
    struct Truth {
        var address: UInt64
        var module: String
        var offset: UInt64
        var symbol: String?
        var symbolOffset: UInt64
        var location: (file: String, line: Int)?
    }

    struct Made {
        var text: String
        var rows: [Truth]
        /// What of a frame the rows of this shape say.
        var saysAddress: Bool
        var saysModule: Bool
        var saysOffset: Bool
        var saysSymbol: Bool
    }

    private static let functions = [
        "main", "load", "harbour_berth", "_ZN7harbour4moorEv", "Harbour::moor()", "Harbour::moor(Ship&, int)",
        "std::vector<int>::push_back(int&&)",
        "harbour::(anonymous namespace)::tide(char const*) const", "main.(*Ship).Moor", "<harbour::Ship as core::fmt::Debug>::fmt",
        "operator new(unsigned long)",
        "non-virtual thunk to Harbour::close()", "-[Ship moorAt:with:]", "closure #1 in static Harbour.run()",
        "core::ops::function::FnOnce::call_once{{vtable.shim}}",
        "__libc_start_main", "start_thread",
    ]
    private static let modules = [
        "/usr/lib/x86_64-linux-gnu/libc.so.6", "/opt/harbour/bin/ferry", "./ferry", "libharbour.so.1", "/srv/app/lib/libtide.so",
        "../build/ferry",
    ]
    private static let files = ["/src/harbour.c", "src/tide.cpp", "../lib/ship.rs", "ferry.swift", "./a/b/dock.go"]
    private static let prefixes = [
        "", "", "", "  ", "\t", "    ", "> ", "| ", "app: ", "[worker 12] ", "INFO harbour.crash: ",
        "2024-05-06 07:08:09.123 ERROR [main] ", "ferry[812]: ",
        "node-3 | ", "E/harbour: ", "host7 app/web.1: ", "(EE) ", "<3>", "stderr: ", "crash-handler> ",
    ]

    /// How a row is numbered.
    private static let numberings: [@Sendable (Int) -> String] = [
        { _ in "" }, { "#\($0) " }, { "#\($0)  " }, { "\($0): " }, { "[\($0)] " }, { "\($0)# " }, { "(\($0)) " }, { "\($0). " },
        { "frame #\($0): " },
        { ($0 < 10 ? " " : "") + "#\($0) " }, { "# \($0) " }, { "#\($0): " },
    ]

    /// The field of the address.
    private static let addresses: [@Sendable (String) -> String] = [
        { "0x" + $0 }, { "0x" + String(repeating: "0", count: 16 - $0.count) + $0 }, { "[0x" + $0 + "]" }, { "@ 0x" + $0 },
        { "pc 0x" + $0 }, { "ip=0x" + $0 },
        { String(repeating: "0", count: 16 - $0.count) + $0 },
    ]

    /// The field of the place in the module; `nil` where the module stands by itself.
    private static let places: [@Sendable (String, String) -> String] = [
        { "(\($0)+0x\($1))" }, { "(\($0) + 0x\($1))" }, { "[\($0)+0x\($1)]" }, { "\($0)+0x\($1)" }, { "\($0) + 0x\($1)" },
        { module, _ in "(in \(module))" },
        { module, _ in module },
    ]

    /// The field of the function.
    private static let symbols: [@Sendable (String, UInt64) -> String] = [
        { name, _ in name }, { "\($0)+0x" + String($1, radix: 16) }, { "\($0) + \($1)" }, { "\($0) + 0x" + String($1, radix: 16) },
    ]

    static func make(_ seed: UInt64) -> Made {
        var random = Seeded(seed)
        let count = Int.random(in: 3...9, using: &random)
        let rows = (0..<count).map { _ in
            let module = Int.random(in: 0..<modules.count, using: &random)
            let offset = UInt64.random(in: 0x1000...0xF_FFFF, using: &random)
            return Truth(
                address: 0x5555_5555_4000 + UInt64(module) << 36 + offset, module: modules[module], offset: offset,
                symbol: functions.randomElement(using: &random),
                symbolOffset: UInt64.random(in: 1...0xFFF, using: &random),
                location: (files.randomElement(using: &random) ?? "", Int.random(in: 1...4000, using: &random)))
        }
        let numbering = numberings.randomElement(using: &random) ?? { _ in "" }
        let address = addresses.randomElement(using: &random) ?? { $0 }
        let place = Int.random(in: 0..<places.count, using: &random)
        let symbol = symbols.randomElement(using: &random) ?? { name, _ in name }
        let prefix = prefixes.randomElement(using: &random) ?? ""
        // An address, a module, a function, a place in the source: each may be missing, but something says where the row is.
        var fields = ["address"]
        let saysModule = Bool.random(using: &random)
        let saysSymbol = !saysModule || Bool.random(using: &random)
        if saysModule { fields.append("module") }
        if saysSymbol { fields.append("symbol") }
        fields.shuffle(using: &random)
        let saysLocation = saysSymbol && Bool.random(using: &random)
        let separator = [" ", "  ", "\t", " - "].randomElement(using: &random) ?? " "
        var text = ""
        for (index, row) in rows.enumerated() {
            var parts: [String] = []
            for field in fields {
                switch field {
                case "address": parts.append(address(String(row.address, radix: 16)))
                case "module": parts.append(places[place](row.module, String(row.offset, radix: 16)))
                default: parts.append(symbol(row.symbol ?? "", row.symbolOffset))
                }
            }
            if saysLocation, let location = row.location { parts.append("(\(location.file):\(location.line))") }
            text += prefix + numbering(index) + parts.joined(separator: separator) + "\n"
        }
        return Made(
            text: text, rows: rows, saysAddress: true, saysModule: saysModule, saysOffset: saysModule && place < 5, saysSymbol: saysSymbol)
    }

    /// What was read otherwise than it was made; empty where all is right.
    static func faults(_ made: Made) -> (isRead: Bool, wrong: [String]) {
        let reports = SampleLog("work goes on\n\n" + made.text + "\nand goes on\n").parsed().reports
        let frames = reports.flatMap(\.stacks).flatMap(\.frames)
        var wrong: [String] = []
        let byAddress = Dictionary(made.rows.map { ($0.address, $0) }) { first, _ in first }
        for frame in frames {
            guard let address = frame.address, let row = byAddress[address.value] else {
                wrong.append("an address that no row has: \(frame.address?.description ?? "none")")
                continue
            }
            if let name = frame.printed?.name, name != row.symbol { wrong.append("the name \(name) of \(row.symbol ?? "")") }
            if let image = frame.imageName, row.module.split(separator: "/").last.map(String.init) != image {
                wrong.append("the image \(image) of \(row.module)")
            }
            if case .linkAddress(let link)? = frame.imagePlace, made.saysOffset, link.value != row.offset, link.value != row.address {
                wrong.append("the offset \(link) of \(String(row.offset, radix: 16))")
            }
        }
        let isRead =
            frames.count == made.rows.count && reports.count == 1
            && zip(frames, made.rows).allSatisfy { frame, row in
                frame.address?.value == row.address && (!made.saysSymbol || frame.printed?.name == row.symbol)
                    && (!made.saysModule || frame.imageName == row.module.split(separator: "/").last.map(String.init))
            }
        return (isRead, wrong)
    }

    @Test func `500 stacks of random shapes`() {
        var unread = 0
        for seed in 0..<500 {
            let made = Self.make(UInt64(seed))
            let (isRead, wrong) = Self.faults(made)
            #expect(wrong.isEmpty, "seed \(seed): \(wrong)\n\(made.text)")
            if !isRead {
                unread += 1
                if unread <= 30 { print("not read whole, seed \(seed):\n\(made.text)") }
            }
        }
        print("\(500 - unread) of 500 read whole")
        #expect(unread <= 10)
    }
}

/// A small generator (xorshift64*), so that each run makes the same stacks.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
