package import BinaryPrimitives

/// Object files that a Mach-O program was linked from, and the addresses of their functions in it:
/// debuggers use this map until dsymutil has run.
///
/// Apple's linkers leave the DWARF in the object files and write this map into the symbol table, as
/// debugging symbols (`mach-o/stab.h`; "Apple's Lazy DWARF Scheme" in DWARF's wiki). For each
/// object file:
///
///     N_SO     the source's folder, then its name            n_value 0
///     N_OSO    the object file                               n_value when it was last changed, in seconds since 1970
///     N_BNSYM, N_FUN name, N_FUN (no name), N_ENSYM          the function's address; the second N_FUN's n_value is its size
///     N_STSYM name, N_GSYM name                              variables; a global's address is that of the symbol of its name
///     N_SO     without a name: the end
///
/// Variables are passed over here: no lookup of code needs them.
package struct DebugMap: Sendable {
    package struct Object: Sendable, Hashable {
        /// As the linker recorded it: absolute, or relative to what `-oso_prefix` took away.
        package var path: String
        /// `member.o` of `lib.a(member.o)`, an object file in a static library; `nil` for a file of
        /// its own.
        package var member: String?
        /// Seconds since 1970; zero where the linker did not record it (`ZERO_AR_DATE`,
        /// `-reproducible`).
        package var modificationTime: UInt64
    }

    package struct Function: Sendable, Hashable {
        /// As the object file's symbol table has it.
        package var name: SymbolName
        /// Address that the linker assigned.
        package var address: LinkAddress
        /// Bytes.
        package var size: UInt64
        /// Index in `objects`.
        package var object: Int
    }

    package var objects: [Object] = []
    /// Ascending by address; those at one address in the order of the table.
    package var functions: [Function] = []

    /// The function around an address; of several at one address the first.
    package func function(containing address: LinkAddress) -> Function? {
        var low = functions.partitionPoint { $0.address > address }
        guard low > 0 else { return nil }
        let start = functions[low - 1].address
        while low > 1, functions[low - 2].address == start { low -= 1 }
        while low <= functions.count, functions[low - 1].address == start {
            if let distance = address.distance(from: start), distance < functions[low - 1].size { return functions[low - 1] }
            low += 1
        }
        return nil
    }
}

extension ObjectFile {
    /// The map to the object files that this one was linked from; `nil` for ELF, a stripped file, a
    /// dSYM, an object file.
    /// - Throws: `ObjectFileError` if the symbol table is damaged.
    package func debugMap() throws(ObjectFileError) -> DebugMap? {
        guard let table = symbolReader as? MachOSymbolTable else { return nil }
        var map = DebugMap()
        var isInObject = false
        var start: LinkAddress?
        var name: SymbolName?
        try table.forEachRecord(in: self) { record in
            switch record.type {
            case 0x64:  // N_SO
                isInObject = false
            case 0x66:  // N_OSO
                let path = table.name(at: record.name).text(in: self)
                map.objects.append(DebugMap.Object(recorded: path, modificationTime: record.value))
                isInObject = true
            case 0x24 where record.section != 0:  // N_FUN
                start = LinkAddress(architecture.hasThumbBit ? record.value & ~1 : record.value)
                name = table.name(at: record.name)
            case 0x24:  // N_FUN without a section: the end
                if isInObject, let start, let name, record.value > 0 {
                    map.functions.append(
                        DebugMap.Function(name: name, address: start, size: record.value, object: map.objects.count - 1))
                }
                start = nil
            default: break
            }
            return true
        }
        guard !map.objects.isEmpty else { return nil }
        map.functions = map.functions.enumerated().sorted { ($0.element.address, $0.offset) < ($1.element.address, $1.offset) }
            .map(\.element)
        return map
    }
}

extension DebugMap.Object {
    /// - Parameter path: `folder/file.o`, or `folder/lib.a(member.o)`.
    init(recorded path: String, modificationTime: UInt64) {
        self.modificationTime = modificationTime
        self.path = path
        guard path.hasSuffix(")"), let open = path.utf8.lastIndex(of: UInt8(ascii: "(")), open > path.startIndex else { return }
        self.path = String(path[..<open])
        member = String(path[path.index(after: open)...].dropLast())
    }

    /// As the linker recorded it.
    package var recorded: String { path + (member.map { "(\($0))" } ?? "") }
}
