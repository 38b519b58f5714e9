internal import BinaryPrimitives
internal import CrashLogModel

/// A frame that is an object of a JSON document.
enum JSONFrame {
    /// Distance of an address from the one in another member; `nil` if that is zero or greater.
    static func distance(of address: UInt64?, from base: JSONValue?) -> UInt64? {
        guard let address, let base = base?.unsigned, base > 0, base <= address else { return nil }
        return address - base
    }

    /// Whether a text is a function's name. `dladdr` names an address in an image without symbols after the image's header, and Apple's
    /// own libraries after nothing.
    static func isName(_ name: String) -> Bool { name != "" && name != "<redacted>" && !SymbolText.machHeaders.contains(name) }

    /// The frame's object with the members that a result sets, one for each of its functions.
    /// - Parameters:
    ///   - functions: in the document's order.
    ///   - set: sets the members of one function.
    /// - Returns: `nil` if no object is at `range`.
    static func edit(
        at range: Range<Int>, of log: Span<UInt8>, functions: [FrameResult.Function],
        set: (_ function: FrameResult.Function, _ object: inout JSONObjectEdit) -> Void
    ) -> TextEdit? {
        guard let object = try? JSONParser().parse(log.upTo(range.upperBound), from: range.lowerBound), object.isObject else { return nil }
        var objects: [[UInt8]] = []
        for function in functions {
            var edit = JSONObjectEdit(object, in: log)
            set(function, &edit)
            objects.append(edit.text(in: log))
        }
        return TextEdit(range: object.range, replacement: Array(objects.joined(separator: object.separator(in: log))))
    }
}

/// Keys of a frame's parts in a program's JSON.
struct JSONFrameKeys: Sendable {
    /// The frame's address in the process.
    var address: String
    /// The image's path or name, the first that is there.
    var images: [String]
    /// Load address of the image.
    var bases: [String]
    var identities: [String] = []
    var name: String
    /// Start address of the function in the process.
    var functionStart: String?
    /// The source's file, the first that is there.
    var file: [String] = []
    var line = ""
    /// `file:line` in one value.
    var location: String?
    /// The addresses are hexadecimal digits without `0x`.
    var isHexadecimal = false

    static let bugsnag = JSONFrameKeys(
        address: "frameAddress", images: ["machoFile", "file"], bases: ["machoLoadAddress", "loadAddress"],
        identities: ["machoUUID", "codeIdentifier"], name: "method", functionStart: "symbolAddress", file: ["file"], line: "lineNumber")
    /// KSCrash records no source lines; its only key for one is `line_of_code`.
    static let ksCrash = JSONFrameKeys(
        address: "instruction_addr", images: ["object_name"], bases: ["object_addr"], name: "symbol_name", functionStart: "symbol_addr",
        location: "line_of_code")

    func address(_ value: JSONValue?) -> UInt64? {
        guard isHexadecimal, let text = value?.string else { return value?.unsigned }
        return UInt64(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
    }

    private func base(_ element: JSONValue) -> UInt64? {
        bases.lazy.compactMap { address(element[$0]) }.first.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The frame without its image and kind.
    func frame(_ element: JSONValue, index: Int) -> Frame {
        let address = address(element[address])
        var frame = Frame(index: index, kind: .returnAddress, address: address.map { RuntimeAddress($0) }, range: element.range)
        let image = images.first { element[$0]?.string?.isEmpty == false }
        frame.imageName = image.flatMap { element[$0]?.string }.map(Path.foreignName)
        if let address, let base = base(element), base <= address { frame.imageOffset = ImageOffset(address - base) }
        frame.isInlined = element["inlined"]?.isTrue ?? false
        var printed = PrintedSymbol()
        printed.name = element[name]?.string.flatMap { JSONFrame.isName($0) ? $0 : nil }
        if printed.name != nil, let functionStart { printed.offset = JSONFrame.distance(of: address, from: element[functionStart]) }
        if let location {
            printed.location = element[location]?.string.flatMap(SourceLocation.init(colonSeparated:))
        } else if let key = file.first(where: { element[$0]?.string?.isEmpty == false }), key != image, let line = element[line]?.int,
            let file = element[key]?.string
        {
            printed.location = SourceLocation(file: file, line: line)
        }
        if printed.name != nil || printed.location != nil { frame.printed = printed }
        return frame
    }

    /// The image that a frame brings along.
    func image(_ element: JSONValue) -> (base: RuntimeAddress, image: BinaryImage)? {
        guard let base = base(element) else { return nil }
        let path = images.lazy.compactMap { element[$0]?.string }.first ?? ""
        let id = identities.lazy.compactMap { element[$0]?.string }.first.flatMap { ImageID(text: $0) }
        return (RuntimeAddress(base), BinaryImage(name: Path.foreignName(of: path), path: path.isEmpty ? nil : path, id: id))
    }

    /// Members that a result sets in a frame's object: the name and, where there are keys for them, the function's beginning in the spelling of the
    /// frame's own address, file and line. Inlined calls become objects of their own in front, with `"inlined": true`.
    /// - Parameter keys: the object is of the first whose address it has.
    static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>, _ keys: [JSONFrameKeys]) -> TextEdit? {
        JSONFrame.edit(at: frame.range, of: log, functions: result.functions) { function, edit in
            guard let keys = keys.first(where: { edit.object[$0.address] != nil }) else { return }
            edit.set(keys.name, to: JSONString.quoted(function.name))
            if let start = keys.functionStart {
                edit.set(start, toAddress: function.start(from: frame.address), like: edit.object[keys.address])
            }
            if let location = function.location {
                if let key = keys.location {
                    edit.set(key, to: JSONString.quoted("\(location.file):\(location.line)"))
                } else if let key = keys.file.first {
                    edit.set(key, to: JSONString.quoted(location.file))
                    edit.set(keys.line, to: "\(location.line)")
                }
            }
            if function.isInlined { edit.set("inlined", to: "true") }
        }
    }
}

extension SourceLocation {
    /// `/src/main.m:94`
    init?(colonSeparated text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let line = Int(text[text.utf8.index(after: colon)...]) else {
            return nil
        }
        self.init(file: String(text[..<colon]), line: line)
    }
}

extension FrameResult.Function {
    /// Address of the function's first byte in the process, given the frame's address.
    func start(from address: RuntimeAddress?) -> UInt64? {
        guard let address, let offset, offset <= address.value else { return nil }
        return address.value - offset
    }
}

extension RegisterState {
    /// An object whose members are the registers; `nil` where it has none.
    init?(members object: JSONValue?) {
        let values = (object?.members ?? []).prefix(256).compactMap { member in member.value.unsigned.map { (name: member.key, value: $0) }
        }
        if values.isEmpty { return nil }
        self.init(values: values)
    }
}

extension DocumentFormat {
    /// The document's first byte that is not white space.
    static func firstByte(_ document: Span<UInt8>) -> UInt8? {
        var index = 0
        while let byte = document.at(index), isBlank(byte) || byte == 0x0A || byte == 0x0D { index += 1 }
        return document.at(index)
    }
}
