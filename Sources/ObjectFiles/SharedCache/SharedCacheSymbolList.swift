package import BinaryPrimitives

/// The symbols of one image of a shared cache by address, and its methods by function, as a file that is kept between runs: an address
/// then costs a search instead of a pass over all of the image's symbols, half a million of a large one.
///
///     "cairnsl1", hash of the list's name, numbers of symbols and of methods, 64 bits each
///     symbols   address 64, offset of the name in its table 32, section 8, flags 8, zero 16
///     methods   function, selector, class's name and category's name (zero for none): addresses, 64 bits each; the selector's highest
///               bit says that it is a method of the class itself
///
/// All numbers are little-endian. Names stay in the cache.
struct SharedCacheSymbolList: Sendable {
    private let file: MappedFile
    private let symbolCount: Int
    private let methodCount: Int

    private static let magic = UInt64(littleEndian: 0x316c_736e_7269_6163)
    private static let headerSize = 32
    private static let symbolSize = 16
    private static let methodSize = 32

    /// Flags of a symbol.
    private static let function: UInt8 = 1
    private static let global: UInt8 = 2
    private static let weak: UInt8 = 4
    private static let isApart: UInt8 = 8
    private static let classMethod: UInt64 = 1 << 63

    /// - Parameter name: under which it is kept.
    /// - Returns: `nil` if the file is no such list, or one with another name.
    init?(_ file: MappedFile, named name: String) {
        let header = file.bytes(in: 0..<min(file.size, Self.headerSize))
        var fields = header.span.rawBytes
        guard let magic = try? fields.read(UInt64.self, .littleEndian), magic == Self.magic,
            let hash = try? fields.read(UInt64.self, .littleEndian), hash == Self.hash(of: name),
            let symbols = try? fields.read(UInt64.self, .littleEndian), let methods = try? fields.read(UInt64.self, .littleEndian),
            symbols < 1 << 32, methods < 1 << 32,
            file.size == Self.headerSize + Int(symbols) * Self.symbolSize + Int(methods) * Self.methodSize
        else { return nil }
        self.file = file
        symbolCount = Int(symbols)
        methodCount = Int(methods)
    }

    /// FNV-1a.
    private static func hash(of name: String) -> UInt64 { name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }

    /// The list's bytes.
    static func encode(_ symbols: SharedCacheSymbols, of object: ObjectFile, named name: String) throws(ObjectFileError) -> [UInt8] {
        var entries: [(address: UInt64, name: UInt32, section: UInt8, flags: UInt8)] = []
        let (own, apart) = (symbols.own.strings.lowerBound, symbols.locals?.strings.lowerBound ?? 0)
        try symbols.forEachSymbol(in: object) { symbol, isApart in
            let start = isApart ? apart : own
            guard let name = UInt32(exactly: symbol.name.position.value &- UInt64(start)), let section = UInt8(exactly: symbol.section)
            else {
                return true
            }
            var flags: UInt8 = symbol.kind == .function ? function : 0
            if symbol.binding == .global { flags |= global }
            if symbol.binding == .weak { flags |= weak }
            if isApart { flags |= Self.isApart }
            entries.append((symbol.address.value, name, section, flags))
            return true
        }
        // In the tables' order where addresses are equal: of equal symbols the last one counts.
        let order = entries.indices.sorted { (entries[$0].address, $0) < (entries[$1].address, $1) }
        let methods = symbols.methods?.get().methods ?? []
        var words = [magic, hash(of: name), UInt64(entries.count), UInt64(methods.count)]
        words.reserveCapacity((headerSize + entries.count * symbolSize + methods.count * methodSize) / 8)
        for index in order {
            let entry = entries[index]
            words += [entry.address, UInt64(entry.name) | UInt64(entry.section) << 32 | UInt64(entry.flags) << 40]
        }
        for method in methods {
            words += [method.function, method.selector | (method.isClassMethod ? classMethod : 0), method.className, method.category ?? 0]
        }
        for index in words.indices { words[index] = words[index].littleEndian }
        return unsafe words.withUnsafeBytes { unsafe Array($0) }
    }

    /// Gives the symbols to `body` that are nearest to some addresses: those that begin at the nearest address at or before a range, and
    /// those in it.
    /// - Parameters:
    ///   - ranges: ascending.
    ///   - names: tables of the names of the image's own symbols, and of those that are kept apart.
    ///   - body: returns `false` to stop.
    func forEachSymbol(
        in object: ObjectFile, around ranges: [ClosedRange<UInt64>], names: (own: MachOSymbolTable, apart: MachOSymbolTable),
        _ body: (Symbol) -> Bool
    ) {
        file.withBytes { bytes in
            func address(_ index: Int) -> UInt64 { Self.number(bytes, Self.headerSize + index * Self.symbolSize) }
            var next = 0
            for range in ranges {
                let end = (next..<symbolCount).partitionPoint { address($0) > range.upperBound }
                var first = (next..<end).partitionPoint { address($0) > range.lowerBound }
                if first > next {
                    let nearest = address(first - 1)
                    first = (next..<first).partitionPoint { address($0) >= nearest }
                }
                next = end
                for index in first..<end {
                    if let symbol = symbol(index, bytes, object, names), !body(symbol) { return }
                }
            }
        }
    }

    private func symbol(
        _ index: Int, _ bytes: RawSpan, _ object: ObjectFile, _ names: (own: MachOSymbolTable, apart: MachOSymbolTable)
    ) -> Symbol? {
        let position = Self.headerSize + index * Self.symbolSize
        let rest = Self.number(bytes, position + 8)
        let flags = UInt8(truncatingIfNeeded: rest >> 40)
        let section = Int(UInt8(truncatingIfNeeded: rest >> 32))
        guard section >= 1, section <= object.description.sections.count else { return nil }
        let table = flags & Self.isApart != 0 ? names.apart : names.own
        return Symbol(
            name: table.name(at: UInt32(truncatingIfNeeded: rest)), address: LinkAddress(Self.number(bytes, position)), size: 0,
            kind: flags & Self.function != 0 ? .function : .data,
            binding: flags & Self.global != 0 ? .global : flags & Self.weak != 0 ? .weak : .local, section: section)
    }

    /// The methods whose function begins at an address.
    func methods(ofFunctionAt address: UInt64) -> [ObjCMethods.Method] {
        file.withBytes { bytes in
            let start = Self.headerSize + symbolCount * Self.symbolSize
            func field(_ index: Int, _ number: Int) -> UInt64 { Self.number(bytes, start + index * Self.methodSize + number * 8) }
            var index = (0..<methodCount).partitionPoint { field($0, 0) >= address }
            var found: [ObjCMethods.Method] = []
            while index < methodCount, field(index, 0) == address {
                let (selector, category) = (field(index, 1), field(index, 3))
                found.append(
                    ObjCMethods.Method(
                        function: address, selector: selector & ~Self.classMethod, className: field(index, 2),
                        category: category == 0 ? nil : category, isClassMethod: selector & Self.classMethod != 0))
                index += 1
            }
            return found
        }
    }

    private static func number(_ bytes: RawSpan, _ position: Int) -> UInt64 {
        // Zero in a file that was cut short while it was open.
        (try? bytes.value(UInt64.self, at: position, .littleEndian)) ?? 0
    }
}

extension ObjectFile {
    /// Name under which the symbols of this image of a shared cache are kept by address. `nil` for other files, where a UUID is missing,
    /// and for images with so few symbols that it is not worthwhile.
    package var symbolListName: String? {
        guard let symbols = symbolReader as? SharedCacheSymbols, let identity = symbols.identity else { return nil }
        func count(_ table: MachOSymbolTable) -> Int { (table.records?.count ?? 0) / max(1, table.layout?.symbolSize ?? 1) }
        let (own, apart) = (count(symbols.own), symbols.locals.map { count($0) })
        let classes = symbols.methods == nil ? 0 : section(named: "__objc_classlist")?.size ?? 0
        guard own + (apart ?? 0) >= Self.minListedSymbols || classes >= Self.minListedClasses else { return nil }
        return "\(identity)-\(own)-\(apart.map(String.init) ?? "none")"
    }

    /// Number of symbols, and bytes of the list of classes, from which a pass over them takes longer than to open a list.
    private static let minListedSymbols = 1 << 15
    private static let minListedClasses: UInt64 = 1 << 13

    /// The bytes of the list of symbols by address, as `reading(symbolList:named:)` reads it.
    /// - Throws: `ObjectFileError` if a table of symbols is damaged.
    package func makeSymbolList(named name: String) throws(ObjectFileError) -> [UInt8] {
        guard let symbols = symbolReader as? SharedCacheSymbols else { return [] }
        return try SharedCacheSymbolList.encode(symbols, of: self, named: name)
    }

    /// The same image, whose symbols are found by a list that was made of them.
    /// - Returns: `nil` if the file is no such list.
    package func reading(symbolList file: MappedFile, named name: String) -> ObjectFile? {
        guard var symbols = symbolReader as? SharedCacheSymbols, let list = SharedCacheSymbolList(file, named: name) else { return nil }
        symbols.list = list
        return ObjectFile(file: self.file, slice: slice, description: description, symbolReader: symbols, limits: limits)
    }
}
