internal import BinaryPrimitives
internal import CrashLogModel

/// A position in a WebAssembly module, as engines of JavaScript print it (WebAssembly Web API, "Developer-Facing Display Conventions"):
/// the module's URL, the function's number among all of the module, and the distance from the module's first byte.
///
///     https://app.example/app.wasm:wasm-function[7]:0x1a5
///     wasm://wasm/app.wasm-00087f1e:wasm-function[7]:0x1a5          V8: a module from memory, by its own name and a checksum
///     wasm://wasm/000701ca:wasm-function[7]:0x1a5                   one without a name
///     app.js line 3 > WebAssembly.instantiate:wasm-function[7]:0x1a5      SpiderMonkey
struct WasmPosition {
    /// Counted in the text.
    var url: Range<Int>
    var function: UInt64
    /// Bytes from the module's first.
    var offset: UInt64
    /// The module's name: the last part of the URL's path, or the name that V8 has from the module. `nil`: it has none.
    var module: String?

    private static let mark = ":wasm-function["

    /// - Parameter text: the position, and nothing else.
    init?(_ text: Span<UInt8>) {
        guard let found = text.lastRange(of: Self.mark), found.lowerBound > 0 else { return nil }
        var rest = text.from(found.upperBound)
        guard let function = rest.readDecimal(), rest.consume("]:"), let offset = rest.readAddress(), rest.isEmpty else { return nil }
        (url, self.function, self.offset) = (0..<found.lowerBound, function, offset)
        module = Self.name(text.upTo(found.lowerBound))
    }

    private static func name(_ url: Span<UInt8>) -> String? {
        var name = url
        if name.consume("wasm://wasm/") {
            // Eight digits of the checksum, after the name and a hyphen.
            guard name.count > 9, name.at(name.count - 9) == UInt8(ascii: "-") else { return nil }
            name = name.upTo(name.count - 9)
            // Modules compiled from C and C++ are called as the file was.
            if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name = name.from(slash + 1) }
            return name.isEmpty ? nil : name.text
        }
        guard !name.contains(" > WebAssembly.") else { return nil }
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
        if let known = indices[name] {
            index = known
        } else {
            guard images.count < Limits.standard.images else { return }
            index = images.count
            indices[name] = index
            images.append(BinaryImage(name: name, architecture: .wasm32))
        }
        frame.image = index
        frame.imageName = name
        frame.imageLocation = .fileOffset(position.offset)
        frame.functionNumber = Int(exactly: position.function)
    }

    /// The name of a module that the log does not name.
    static let unnamed = "<unknown>"
}
