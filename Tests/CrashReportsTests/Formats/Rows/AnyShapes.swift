import TestSupport

/// Generates stacks that no program prints: the same frames in rows of any shape, after any prefix.
enum AnyShapes {
    /// Input for a generated row: a function of a fixture, and the load address of its file.
    struct ExpectedRow {
        var address: UInt64
        var module: String
        var offset: UInt64
        var symbol: String
        var symbolOffset: UInt64
        var file: String
        var line: Int
    }

    struct GeneratedStack {
        var text: String
        var rows: [ExpectedRow]
        /// The fields that the rows of this shape have.
        var hasModule: Bool
        var hasOffset: Bool
        var hasSymbol: Bool
        var hasLocation: Bool
    }

    /// Names, as demanglers print them, that the fixtures do not have.
    private static let names = [
        "main", "_ZN7harbour4moorEv", "Harbour::moor(Ship&, int)", "std::vector<int>::push_back(int&&)",
        "harbour::(anonymous namespace)::tide(char const*) const", "main.(*Ship).Moor", "<harbour::Ship as core::fmt::Debug>::fmt",
        "operator new(unsigned long)", "non-virtual thunk to Harbour::close()", "-[Ship moorAt:with:]",
        "closure #1 in static Harbour.run()", "core::ops::function::FnOnce::call_once{{vtable.shim}}", "__libc_start_main",
        "start_thread", "Harbour::operator()(int) const", "Harbour::operator<<(std::ostream&)", "Ship::operator bool() const",
        "harbour::moor(int)::{lambda(Ship*)#1}::operator()(Ship*) const", "void harbour.moor(int)", "_D7harbour4moorFiZv",
        "std::map<int, std::string>::operator[](int const&)", "bool harbour::operator==<int>(Ship const&, Ship const&)",
        "harbour.Ship.moor(this Ship)", "moor [clone .cold]", "moor.part.0", "harbour::moor(std::function<void (int)>)",
    ]
    private static let folders = [
        "/opt/harbour/bin/", "./", "/usr/lib/x86_64-linux-gnu/", "../build/", "/srv/app/", "C:\\harbour\\bin\\", "",
    ]
    private static let endings = ["", "", ".so.1", ".so", ".dll", ".exe", ".dylib"]

    private static let prefixes = [
        "", "", "", "", "  ", "\t", "    ", "> ", "| ", "app: ", "[worker 12] ", "INFO harbour.crash: ",
        "2024-05-06 07:08:09.123 ERROR [main] ", "ferry[812]: ", "node-3 | ", "E/harbour: ", "host7 app/web.1: ", "(EE) ", "<3>",
        "stderr: ",
        "crash-handler> ",
        // A container's id, Compose, Kubernetes, journald.
        "3f2a9c1b7d4e | ", "web_1  | ", "web-1      | ", "3f2a9c1b7d4e[dockerd]: ", "2024-05-06T07:08:09.123456789Z stderr F ",
        "May 06 07:08:09 node3 ferry[812]: ", "2024-05-06T07:08:09.123456+02:00 node3 ferry 812 - - ",
        // Names of loggers with colons, levels.
        "com.harbour:core:worker: ", "harbour::crash: ", "E0506 07:08:09.123456   812 crash.cc:12] ",
        "[2024-05-06 07:08:09,123: ERROR/MainProcess] ",
        "07:08:09.123 [main] ERROR c.h.Crash - ", "ERROR:harbour.crash:", "[E] ", "[  123.456789] ", "+0.123s ",
        "[ERROR] [1714979289.123]: ",
        // Tests: pytest, ctest, Bazel, Jest, Go.
        "E   ", "12: ", "[12/34] ", "      at ", "    crash_test.go:12: ", "[  FAILED  ] ", "(pid=812) ", "[1,0]<stderr>: ",
        "\u{1b}[31m", "##[error]", "#12 34.56 ",
    ]

    /// Forms of row numbers.
    private static let numberings: [@Sendable (Int) -> String] = [
        { _ in "" }, { _ in "" }, { "#\($0) " }, { "#\($0)  " }, { "\($0): " }, { "[\($0)] " }, { "\($0)# " }, { "(\($0)) " },
        { "\($0). " },
        { "frame #\($0): " }, { ($0 < 10 ? " " : "") + "#\($0) " }, { "# \($0) " }, { "#\($0): " }, { "[ \($0)] " },
        { "#" + ($0 < 10 ? "0" : "") + "\($0) " }, { "\($0)  " },
    ]

    /// Forms of the address field.
    private static let addresses: [@Sendable (String) -> String] = [
        { "0x" + $0 }, { "0x" + padded($0, 16) }, { "[0x" + $0 + "]" }, { "@ 0x" + $0 }, { "pc 0x" + $0 }, { "ip=0x" + $0 },
        { padded($0, 16) },
        { "0x" + padded($0, 16).uppercased() }, { padded($0, 16).uppercased() }, { padded($0, 12) }, { "0x" + $0 + ":" },
        { "[<" + padded($0, 16) + ">]" },
        { "addr=0x" + $0 }, { "(0x" + $0 + ")" },
    ]

    private static let twelveDigits = 9

    private static func padded(_ digits: String, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Forms of the field with the module and the offset in it; the forms after the fifth have the module only.
    private static let moduleForms: [@Sendable (String, String) -> String] = [
        { "(\($0)+0x\($1))" }, { "(\($0) + 0x\($1))" }, { "[\($0)+0x\($1)]" }, { "\($0)+0x\($1)" }, { "\($0) + 0x\($1)" },
        { module, _ in "(in \(module))" }, { module, _ in module }, { module, _ in "in \(module)" }, { module, _ in "\"\(module)\"" },
        { module, _ in "[\(module)]" },
    ]

    /// Forms of the function field.
    private static let symbols: [@Sendable (String, UInt64) -> String] = [
        { name, _ in name }, { "\($0)+0x" + String($1, radix: 16) }, { "\($0) + \($1)" }, { "\($0) + 0x" + String($1, radix: 16) },
        { "<\($0)+0x" + String($1, radix: 16) + ">" }, { "\($0)+0x" + String($1, radix: 16) + "/0x" + String($1 + 0x40, radix: 16) },
    ]

    private static let locations: [@Sendable (String, Int) -> String] = [
        { "(\($0):\($1))" }, { "at \($0):\($1)" }, { "[\($0):\($1)]" }, { "(\($0):\($1):7)" }, { "\($0):\($1)" },
    ]

    /// - Parameter isFixed: the files are loaded at the addresses that they are linked at, so that twelve digits are
    ///   padded.
    private static func rows(_ random: inout Seeded, isFixed: Bool) -> [ExpectedRow] {
        let bases = AnyShapeTable.files.indices.map { index in
            let folder = folders.randomElement(using: &random) ?? ""
            // A name without folder and ending can also be a function.
            let ending = (folder.isEmpty ? Array(endings.dropFirst(2)) : endings).randomElement(using: &random) ?? ""
            let base = UInt64.random(in: 0x5_5000_0000...0x7_ffff_ffff, using: &random) << 12
            // Twelve decimal digits are a number of any kind.
            return (isFixed ? UInt64(index) << 24 + 0xC0_0000 : base, folder, ending)
        }
        return (0..<Int.random(in: 3...9, using: &random)).compactMap { _ in
            let file = Int.random(in: AnyShapeTable.files.indices, using: &random)
            guard let function = AnyShapeTable.files[file].functions.randomElement(using: &random) else { return nil }
            let name = Bool.random(using: &random) ? function.name : names.randomElement(using: &random) ?? ""
            return ExpectedRow(
                address: bases[file].0 + function.address, module: bases[file].1 + AnyShapeTable.files[file].name + bases[file].2,
                offset: function.address, symbol: name, symbolOffset: function.offset, file: function.file, line: function.line)
        }
    }

    static func make(_ seed: UInt64) -> GeneratedStack {
        var random = Seeded(seed)
        let numbering = numberings.randomElement(using: &random) ?? { _ in "" }
        let form = Int.random(in: 0..<addresses.count, using: &random)
        let address = addresses[form]
        let rows = rows(&random, isFixed: form == twelveDigits)
        let moduleForm = Int.random(in: 0..<moduleForms.count, using: &random)
        let symbol = symbols.randomElement(using: &random) ?? { name, _ in name }
        let location = locations.randomElement(using: &random) ?? { "\($0):\($1)" }
        let prefix = prefixes.randomElement(using: &random) ?? ""
        // An address, a module, a function, a source location: each may be missing, but every row has an address or an
        // offset.
        var fields = ["address"]
        let hasModule = Bool.random(using: &random)
        let hasSymbol = !hasModule || Bool.random(using: &random)
        if hasModule { fields.append("module") }
        if hasSymbol { fields.append("symbol") }
        fields.shuffle(using: &random)
        let hasLocation = hasSymbol && Bool.random(using: &random)
        let separator = [" ", "  ", "\t", " - "].randomElement(using: &random) ?? " "
        // A column with the frame's size, as Abseil has it.
        let hasSize = fields[0] == "address" && separator == "  " && Bool.random(using: &random)
        let isJSON = prefix.isEmpty && Int.random(in: 0..<6, using: &random) == 0
        var text = ""
        for (index, row) in rows.enumerated() {
            var parts: [String] = []
            for field in fields {
                switch field {
                case "address":
                    parts.append(address(String(row.address, radix: 16)))
                    if hasSize { parts.append("\(16 * (index + 1))") }
                case "module": parts.append(moduleForms[moduleForm](row.module, String(row.offset, radix: 16)))
                default: parts.append(symbol(row.symbol, row.symbolOffset))
                }
            }
            if hasLocation { parts.append(location(row.file, row.line)) }
            let line = prefix + numbering(index) + parts.joined(separator: separator)
            text += isJSON ? json(line, index) : line + "\n"
        }
        return GeneratedStack(
            text: text, rows: rows, hasModule: hasModule, hasOffset: hasModule && moduleForm < 5, hasSymbol: hasSymbol,
            hasLocation: hasLocation)
    }

    /// Returns the line as a line of a JSON log.
    private static func json(_ line: String, _ index: Int) -> String {
        var escaped = ""
        for character in line.unicodeScalars {
            switch character {
            case "\"", "\\": escaped += "\\" + String(character)
            case "\t": escaped += "\\t"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return "{\"ts\":\"2024-05-06T07:08:09.\(100 + index)Z\",\"level\":\"error\",\"msg\":\"\(escaped)\"}\n"
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
