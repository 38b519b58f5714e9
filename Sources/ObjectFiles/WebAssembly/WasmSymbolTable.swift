internal import BinaryPrimitives

/// The Code section: the number of functions, and of each its size and its body.
struct WasmCode {
    /// The section's contents, in bytes of the file. Addresses count from the first.
    let contents: Range<Int>
    /// Number of functions that are defined here, as far as each can have a byte.
    let count: Int
    /// The functions, which follow their number: bytes of the file.
    let functions: Range<Int>

    /// - Returns: `nil` if the module has no code.
    init?(_ sections: WasmSections, _ file: MappedFile) {
        guard let section = sections.first(WasmSections.ID.code) else { return nil }
        let head = file.bytes(in: section.range.lowerBound..<min(section.range.lowerBound + 10, section.range.upperBound))
        var rest = head.span.rawBytes
        guard let count = try? rest.readULEB128() else { return nil }
        contents = section.range
        functions = section.range.lowerBound + head.count - rest.byteCount..<section.range.upperBound
        self.count = Int(min(count, UInt64(functions.count)))
    }

    /// Address of the first byte after the number: no function begins at address 0, where linkers put removed ones.
    var firstAddress: UInt64 { UInt64(functions.lowerBound - contents.lowerBound) }

    /// A function's body, without its size: `DW_AT_low_pc` is its first byte.
    struct Body {
        /// Counted among the functions that are defined here.
        var number: Int
        var address: UInt64
        var size: UInt64
    }

    /// Gives every body to `body`, in order.
    /// - Parameter body: returns `false` to stop.
    func forEachBody(in file: MappedFile, _ body: (Body) -> Bool) throws(ReadError) {
        try file.withBytes { whole throws(ReadError) in
            let bytes = whole.clamped(to: functions)
            var rest = bytes
            for number in 0..<count {
                let size = try rest.readULEB128()
                guard size <= UInt64(rest.byteCount) else {
                    throw ReadError(.outOfBytes(needed: Int(clamping: size)), bytesLeft: rest.byteCount)
                }
                let address = firstAddress + UInt64(bytes.byteCount - rest.byteCount)
                guard body(Body(number: number, address: address, size: size)) else { return }
                try rest.skip(Int(size))
            }
        }
    }
}

/// The functions of a WebAssembly module: their extents from the Code section, their names from the `name` section (specification,
/// appendix "Custom Sections"), else from the exports.
struct WasmSymbolTable: SymbolReader {
    private let code: WasmCode?
    private let imports: Range<Int>?
    private let exports: Range<Int>?
    private let names: Range<Int>?
    private let codeSection: Int

    init(_ sections: WasmSections, _ code: WasmCode?) {
        self.code = code
        imports = sections.first(WasmSections.ID.import)?.range
        exports = sections.first(WasmSections.ID.export)?.range
        names = sections.custom("name")?.range
        codeSection = (sections.sections.firstIndex { $0.id == WasmSections.ID.code } ?? 0) + 1
    }

    /// Without the `name` section there are exported names alone. Every function has its extent.
    var isFull: Bool { names != nil }

    func forEachSymbol(in object: ObjectFile, around window: SymbolWindow, _ body: (Symbol) -> Bool) throws(ObjectFileError) {
        guard let code else { return }
        var window = window
        var bodies: [WasmCode.Body] = []
        do throws(ReadError) {
            try code.forEachBody(in: object.file) { function in
                guard window.mayHold(function.address, function.size) else { return true }
                window.pass(function.address)
                bodies.append(function)
                return true
            }
            guard !bodies.isEmpty else { return }
            let exported = try exportedNames(object.file)
            let numbers = bodies.map(\.number)
            let (first, names) = try object.file.withBytes { bytes throws(ReadError) -> (Int, [Range<Int>?]) in
                let first = try importedFunctions(bytes)
                return (first, try self.names(of: numbers.map { $0 + first }, in: bytes))
            }
            for (index, function) in bodies.enumerated() {
                let export = exported[function.number + first]
                guard let name = names[index] ?? export else { continue }
                let symbol = Symbol(
                    name: SymbolName(position: FileOffset(UInt64(name.lowerBound)), tableEnd: FileOffset(UInt64(name.upperBound))),
                    address: LinkAddress(function.address), size: function.size, kind: .function,
                    binding: export == nil ? .local : .global, section: codeSection)
                guard body(symbol) else { return }
            }
        } catch {
            throw ObjectFileError(.corrupt, path: object.path, "the functions of the WebAssembly module cannot be read: \(error)")
        }
    }

    func numberedFunctions(at addresses: [LinkAddress], in object: ObjectFile) throws(ObjectFileError) -> [NumberedFunction?]? {
        guard let code else { return nil }
        do throws(ReadError) {
            let order = addresses.indices.sorted { addresses[$0] < addresses[$1] }
            var functions = [Int?](repeating: nil, count: addresses.count)
            var next = 0
            try code.forEachBody(in: object.file) { function in
                while next < order.count, case let address = addresses[order[next]].value, address < function.address + function.size {
                    if address >= function.address { functions[order[next]] = function.number }
                    next += 1
                }
                return next < order.count
            }
            return try object.file.withBytes { bytes throws(ReadError) -> [NumberedFunction?] in
                let first = try importedFunctions(bytes)
                let wanted = Set(functions.compactMap { $0 }).sorted().map { $0 + first }
                let names = Dictionary(zip(wanted, try names(of: wanted, in: bytes))) { known, _ in known }
                return functions.map { function in
                    function.map { number in
                        let name = (names[number + first] ?? nil).map { bytes.clamped(to: $0).string() }
                        return NumberedFunction(number: number + first, name: name)
                    }
                }
            }
        } catch {
            throw ObjectFileError(.corrupt, path: object.path, "the functions of the WebAssembly module cannot be read: \(error)")
        }
    }

    /// Number of imported functions: functions are counted with them first.
    private func importedFunctions(_ file: RawSpan) throws(ReadError) -> Int {
        guard let imports else { return 0 }
        var rest = file.clamped(to: imports)
        var count = 0
        for _ in 0..<(try rest.readULEB128()) {
            // The module's name and the import's.
            try rest.skipCounted()
            try rest.skipCounted()
            switch try rest.read(UInt8.self) {
            case 0:
                try rest.skipLEB128()
                count += 1
            case 1:
                try rest.skipWasmType()
                try rest.skipWasmLimits()
            case 2: try rest.skipWasmLimits()
            case 3:
                try rest.skipWasmType()
                try rest.skip(1)
            case 4:
                try rest.skip(1)
                try rest.skipLEB128()
            case let kind: throw ReadError(.unknownCode(UInt64(kind)), bytesLeft: rest.byteCount)
            }
        }
        return count
    }

    /// The exported functions' names, as bytes of the file, by the functions' numbers.
    private func exportedNames(_ file: MappedFile) throws(ReadError) -> [Int: Range<Int>] {
        guard let exports else { return [:] }
        return try file.withBytes { bytes throws(ReadError) in
            var rest = bytes.clamped(to: exports)
            var names: [Int: Range<Int>] = [:]
            for _ in 0..<(try rest.readULEB128()) {
                let name = try rest.readCounted(endingAt: exports.upperBound)
                let kind = try rest.read(UInt8.self)
                let number = try rest.readULEB128()
                if kind == 0, number <= UInt64(UInt32.max), names[Int(number)] == nil { names[Int(number)] = name }
            }
            return names
        }
    }

    /// The names of functions in the `name` section, as bytes of the file.
    /// - Parameter wanted: the functions' numbers, ascending.
    private func names(of wanted: [Int], in file: RawSpan) throws(ReadError) -> [Range<Int>?] {
        var found = [Range<Int>?](repeating: nil, count: wanted.count)
        guard let names else { return found }
        var rest = file.clamped(to: names)
        while rest.byteCount > 0 {
            let kind = try rest.read(UInt8.self)
            let size = try rest.readULEB128()
            guard size <= UInt64(rest.byteCount) else {
                throw ReadError(.outOfBytes(needed: Int(clamping: size)), bytesLeft: rest.byteCount)
            }
            var part = try rest.read(bytes: Int(size))
            guard kind == 1 else { continue }
            let end = names.upperBound - rest.byteCount
            var index = 0
            for _ in 0..<(try part.readULEB128()) {
                guard index < wanted.count else { break }
                let number = try part.readULEB128()
                let name = try part.readCounted(endingAt: end)
                // The specification has them in this order; a writer that does not would lose names, not mix them.
                while index < wanted.count, UInt64(wanted[index]) < number { index += 1 }
                if index < wanted.count, UInt64(wanted[index]) == number, !name.isEmpty { found[index] = name }
            }
        }
        return found
    }
}

extension RawSpan {
    /// Reads a length and as many bytes.
    /// - Parameter end: position of the span's end in the file.
    /// - Returns: where the bytes are in the file.
    fileprivate mutating func readCounted(endingAt end: Int) throws(ReadError) -> Range<Int> {
        let length = try readULEB128()
        guard length <= UInt64(byteCount) else { throw ReadError(.outOfBytes(needed: Int(clamping: length)), bytesLeft: byteCount) }
        let start = end - byteCount
        try skip(Int(length))
        return start..<start + Int(length)
    }

    fileprivate mutating func skipCounted() throws(ReadError) { _ = try readCounted(endingAt: byteCount) }

    /// A type of values: one byte, or a reference (0x63, 0x64) and the type that it refers to.
    fileprivate mutating func skipWasmType() throws(ReadError) {
        if [0x63, 0x64].contains(try read(UInt8.self)) { try skipLEB128() }
    }

    /// Limits of a table or memory: flags, the minimum, a maximum if the lowest bit is set, a page size if the fourth is.
    fileprivate mutating func skipWasmLimits() throws(ReadError) {
        let flags = try read(UInt8.self)
        try skipLEB128()
        if flags & 1 != 0 { try skipLEB128() }
        if flags & 8 != 0 { try skipLEB128() }
    }
}
