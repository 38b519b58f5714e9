internal import BinaryPrimitives
internal import MemoryImages
internal import ObjectFiles
internal import Unwinding

/// Data of a process by its addresses: from the saved memory, else from the files that are mapped there.
///
/// No address is trusted: one that neither the memory nor a file has gives `nil`.
struct ProcessData {
    let finder: ImageFinder

    private var memory: Memory { finder.memory.memory }
    /// In bytes.
    var wordSize: Int { finder.memory.processor.registerSize }

    /// Returns the pointer or the size at an address.
    func word(at address: UInt64) -> UInt64? { number(at: address, size: wordSize) }

    /// Returns the unsigned number at an address.
    func number(at address: UInt64, size: Int) -> UInt64? {
        if let value = memory.read(address, size: size) { return value }
        let bytes = finder.bytes(at: address, count: size)
        return bytes.count == size ? try? bytes.span.rawBytes.unsigned(size: size, at: 0, memory.byteOrder) : nil
    }

    /// Returns the C string at an address.
    /// - Parameter count: its length where that is known.
    /// - Returns: `nil` if it is empty, or not printable UTF-8. A longer text than `maxText` is cut.
    func text(at address: UInt64, count: UInt64 = .max) -> String? {
        guard address != 0, count > 0 else { return nil }
        let read = finder.bytes(at: address, count: min(Self.maxText, Int(clamping: count)))
        var bytes = Array(read.prefix { $0 != 0 })
        guard bytes.count < read.count || bytes.count == Self.maxText || UInt64(bytes.count) == count else { return nil }
        if bytes.count == Self.maxText {
            // The cut may go through a character.
            while let last = bytes.last, last & 0xc0 == 0x80 { bytes.removeLast() }
            if let last = bytes.last, last >= 0xc0 { bytes.removeLast() }
        }
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: " ") { bytes.removeLast() }
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isPrintable = text.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) || $0 == "\n" || $0 == "\t"
        }
        return isPrintable ? text : nil
    }

    /// Maximum number of bytes of a text. Messages of runtimes are a line or a few.
    static let maxText = 1024

    // MARK: Symbols

    /// Returns the first image whose file name begins with one of these, else the program, which may be linked
    /// statically.
    func image(named prefixes: [String]) -> MappedImage? {
        finder.memory.files.first { file in prefixes.contains { Path.name(of: file.path).hasPrefix($0) } } ?? program
    }

    /// The program: the image of its headers (AT_PHDR).
    var program: MappedImage? {
        finder.memory.process.auxiliaryVector[3].flatMap { headers in
            finder.memory.files.first { $0.parts.contains { $0.range.contains(headers) } }
        }
    }

    /// Returns the names of the program's functions at some addresses, as its symbol table has them.
    func functions(at addresses: [UInt64]) -> [String?] {
        var names = [String?](repeating: nil, count: addresses.count)
        guard let program, let (objects, bias) = objects(of: program), let lowest = addresses.min(), let highest = addresses.max() else {
            return names
        }
        for object in objects {
            try? object.forEachSymbol { symbol in
                let start = symbol.address.value &+ bias
                guard symbol.kind == .function, start <= highest, start &+ symbol.size > lowest else { return true }
                for (index, address) in addresses.enumerated()
                where names[index] == nil && address >= start && address - start < symbol.size {
                    names[index] = symbol.name.text(in: object)
                }
                return true
            }
        }
        return names
    }

    /// Returns an image's files, and the difference of an address in memory from the one in them.
    private func objects(of image: MappedImage) -> (objects: [ObjectFile], bias: UInt64)? {
        let objects = finder.files(of: image).objects
        guard let code = objects.first(where: \.holdsCode), let bias = image.bias(of: code) else { return nil }
        return (objects, bias)
    }

    /// Returns the address ranges of symbols in an image; those that its symbol tables do not have are left out.
    func symbols(_ names: [String], in image: MappedImage) -> [String: Range<UInt64>] {
        guard let (objects, bias) = objects(of: image) else { return [:] }
        var found: [String: Range<UInt64>] = [:]
        let wanted = names.map { (name: $0, bytes: Array($0.utf8)) }
        for object in objects where found.count < wanted.count {
            try? object.forEachSymbol { symbol in
                let match = object.file.withBytes { bytes in
                    wanted.first { bytes.isSymbolName($0.bytes, at: symbol.name.position.value) }
                }
                if let match, found[match.name] == nil {
                    let start = symbol.address.value &+ bias
                    found[match.name] = start..<max(start, start &+ max(symbol.size, 1))
                }
                return found.count < wanted.count
            }
        }
        return found
    }
}

extension RawSpan {
    /// Whether a name is at an offset, with its end; a program's copy of a library's data has the version after it
    /// (`NAME@CXXABI_1.3`).
    fileprivate func isSymbolName(_ name: [UInt8], at offset: UInt64) -> Bool {
        guard let text = try? slice(at: offset, count: UInt64(name.count) + 1)
        else { return false }
        let last = text.byte(at: name.count)
        return (last == 0 || last == UInt8(ascii: "@")) && name.indices.allSatisfy { text.byte(at: $0) == name[$0] }
    }
}
