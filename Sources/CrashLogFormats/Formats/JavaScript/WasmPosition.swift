internal import BinaryPrimitives
internal import CrashLogModel

/// A position in a WebAssembly module, as engines of JavaScript print it (WebAssembly Web API, "Developer-Facing Display Conventions"):
/// the module's URL, the function's number among all of the module, and the distance from the module's first byte.
///
///     https://app.example/app.wasm:wasm-function[7]:0x1a5
///     wasm://wasm/app.wasm-00087f1e:wasm-function[7]:0x1a5          V8: a module from memory, by its own name and a checksum
///     wasm://wasm/000701ca:wasm-function[7]:0x1a5                   one without a name
///     app.js line 3 > WebAssembly.instantiate:wasm-function[7]:0x1a5      SpiderMonkey
///     app.wasm:0x1a5                                                Chrome's console
///     wasm://wasm/app.wasm-00087f1e:1:422                           Node's "Thrown at:": a column, which counts from 1
struct WasmPosition {
    /// Among all functions of the module; `nil` where the row has no number.
    var function: UInt64?
    /// Bytes from the module's first.
    var offset: UInt64
    /// The module's name: the last part of the URL's path, or the name that V8 has from the module. `nil`: it has none.
    var module: String?
    /// What distinguishes the module from others of the log: its name, or its URL.
    var key: String

    private static let mark = ":wasm-function["
    private static let fromMemory = "wasm://wasm/"

    /// Whether a row may have a position.
    static func mayBeIn(_ row: Span<UInt8>) -> Bool { row.contains(mark) || row.contains(".wasm:") || row.contains(fromMemory) }

    /// - Parameter text: the position, and nothing else.
    init?(_ text: Span<UInt8>) {
        var url = text
        if let found = text.lastRange(of: Self.mark) {
            var rest = text.from(found.upperBound)
            guard let function = rest.readDecimal(), rest.consume("]:"), let offset = rest.readAddress(), rest.isEmpty else { return nil }
            (url, self.function, self.offset) = (text.upTo(found.lowerBound), function, offset)
        } else if let found = text.lastRange(of: ".wasm:0x") {
            var rest = text.from(found.upperBound - 2)
            guard let offset = rest.readAddress(), rest.isEmpty else { return nil }
            (url, self.offset) = (text.upTo(found.upperBound - 3), offset)
        } else if let found = text.lastRange(of: ":1:") {
            var rest = text.from(found.upperBound)
            url = text.upTo(found.lowerBound)
            guard url.hasPrefix(Self.fromMemory) || url.hasSuffix(".wasm"), let column = rest.readDecimal(), column > 0, rest.isEmpty else {
                return nil
            }
            offset = column - 1
        } else {
            return nil
        }
        guard !url.isEmpty else { return nil }
        module = Self.name(url)
        key = module ?? url.text
    }

    private static func name(_ url: Span<UInt8>) -> String? {
        var name = url
        if name.consume(fromMemory) {
            // Eight digits of the checksum, after the name and a hyphen.
            guard name.count > 9, name.at(name.count - 9) == UInt8(ascii: "-") else { return nil }
            name = name.upTo(name.count - 9)
            // Modules compiled from C and C++ are called as the file was.
            if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name = name.from(slash + 1) }
            return name.isEmpty ? nil : name.text
        }
        guard !name.contains(" > WebAssembly."), !name.hasPrefix("blob:"), !name.hasPrefix("data:") else { return nil }
        for end in [UInt8(ascii: "?"), UInt8(ascii: "#")] {
            if let mark = name.firstIndex(of: end) { name = name.upTo(mark) }
        }
        if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name = name.from(slash + 1) }
        return name.isEmpty || name.equals("<anonymous>") ? nil : name.text
    }
}

/// The modules that the rows of a report name.
struct WasmImages {
    private(set) var images: [BinaryImage] = []
    private var indices: [String: Int] = [:]

    /// Gives a frame its module and its position there.
    mutating func assign(_ position: WasmPosition, to frame: inout Frame) {
        let name = position.module ?? WasmImages.unnamed
        let index: Int
        if let known = indices[position.key] {
            index = known
        } else {
            guard images.count < Limits.standard.images else { return }
            index = images.count
            indices[position.key] = index
            // Modules without a name differ in their URLs.
            let url = position.module == nil ? String(position.key.prefix(Self.maxURLLength)) : nil
            images.append(BinaryImage(name: name, path: url, architecture: .wasm32))
        }
        frame.image = index
        frame.imageName = name
        frame.imageLocation = .fileOffset(position.offset)
        frame.functionNumber = position.function.flatMap { Int(exactly: $0) }
    }

    /// `data:` has the module itself in the URL.
    private static let maxURLLength = 256

    /// The name of a module that the log does not name.
    static let unnamed = "<unknown>"
}
