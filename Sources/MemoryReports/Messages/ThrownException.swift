internal import BinaryPrimitives
internal import Demangling
internal import MemoryImages
internal import Unwinding

/// An exception of C++ that nothing caught: its type, and its text where the type's layout is known.
///
/// The C++ library has for each thread the exceptions that are being handled, of which
/// `std::terminate` is called for the first (Itanium C++ ABI, "Exception Handling", 2.2):
///
///     __cxa_eh_globals       caughtExceptions ─► __cxa_exception, then the thrown object
struct ThrownException {
    private let data: ProcessData
    /// The type's `std::type_info`.
    private let type: UInt64
    private let object: UInt64

    static let source = "__cxa_get_globals"

    /// - Returns: `nil` if the thread did not call `std::terminate` for an exception.
    static func message(thread: MemoryImage.Thread, stack: UnwoundStack, _ data: ProcessData) -> RuntimeMessage? {
        // If an exception leaves a noexcept function, the personality routine calls a function that is not exported.
        let names = ["_ZSt9terminatev", "_ZN10__cxxabiv111__terminateEPFvvE", "__gxx_personality_v0"]
        guard let library = data.image(named: libraries) else { return nil }
        let symbols = data.symbols(names + [source, pureVirtual], in: library)
        // A return address is past the call, which may be the function's last instruction.
        func isCalled(_ name: String) -> Bool {
            symbols[name].map { range in stack.frames.contains { range.contains($0.programCounter &- 1) } } ?? false
        }
        if isCalled(pureVirtual) { return RuntimeMessage(text: "pure virtual method called", source: pureVirtual) }
        guard names.contains(where: isCalled), data.finder.memory.processor == .x86_64, let threadPointer = thread.threadPointer,
            let function = symbols[source], let globals = globals(function, threadPointer, data), let header = data.word(at: globals)
        else { return nil }
        if header == 0 { return RuntimeMessage(text: "terminate called without an active exception", source: source) }
        guard let thrown = ThrownException(header: header, data), let name = thrown.typeName else { return nil }
        return RuntimeMessage(text: "uncaught exception \(name)" + (thrown.text.map { ": " + $0 } ?? ""), source: source)
    }

    /// The function that takes the entry of a pure virtual one in virtual tables; it ends the program.
    private static let pureVirtual = "__cxa_pure_virtual"
    private static let libraries = ["libstdc++.so", "libc++abi.so", "libc++.so"]

    // MARK: The thread's exceptions

    /// Returns the address of the thread's variable that `__cxa_get_globals` returns.
    ///
    /// In a library it calls `__tls_get_addr` with the address of two words, the module's number and an offset;
    /// the thread's table (`dtv`) has each module's block. In a static program it adds an offset to the thread pointer
    /// (Drepper, "ELF Handling For Thread-Local Storage", 3.4.2 and 4.4.2).
    private static func globals(_ function: Range<UInt64>, _ threadPointer: UInt64, _ data: ProcessData) -> UInt64? {
        if let index = ReturnedAddress(of: function, data)?.value {
            guard let module = data.word(at: index), let offset = data.word(at: index &+ 8), (1..<4096).contains(module),
                let table = data.word(at: threadPointer &+ 8), let block = data.word(at: table &+ module &* 16), block != 0, block != .max
            else { return nil }
            return block &+ offset
        }
        let code = data.finder.bytes(at: function.lowerBound, count: min(32, function.count))
        // mov %fs:0,%rax … add $OFFSET,%rax
        let load: [UInt8] = [0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0]
        guard let start = code.indices.first(where: { code[$0...].starts(with: load) }),
            let add = code.indices.dropLast(5).first(where: { $0 >= start + load.count && code[$0] == 0x48 && code[$0 + 1] == 0x05 }),
            let offset = try? code.span.rawBytes.value(Int32.self, at: add + 2, .littleEndian)
        else { return nil }
        return threadPointer &+ UInt64(bitPattern: Int64(offset))
    }

    // MARK: The exception

    /// - Parameter header: the address of a `__cxa_exception` of a 64-bit process. It ends with the unwinder's
    ///   `_Unwind_Exception` of 32 bytes, whose first word is the class of the exception.
    private init?(header: UInt64, _ data: ProcessData) {
        guard header != 0 else { return nil }
        self.data = data
        // GNU's has 80 bytes before that, LLVM's two words more at its beginning.
        for (size, first, name) in [(UInt64(80), UInt64(0), "GNUCC++"), (96, 16, "CLNGC++")] {
            guard let found = data.word(at: header &+ size), found >> 8 == Self.exceptionClass(name) else { continue }
            let end = header &+ size &+ 32
            switch found & 0xff {
            case 0:
                guard let type = data.word(at: header &+ first) else { return nil }
                (self.type, object) = (type, end)
                return
            case 1:
                // std::rethrow_exception: the first word is the address of the object, before which its own header is.
                guard let primary = data.word(at: header &+ first), let type = data.word(at: primary &- (size &+ 32) &+ first) else {
                    return nil
                }
                (self.type, object) = (type, primary)
                return
            default: return nil
            }
        }
        return nil
    }

    /// The vendor and the language as a number: the first character is the highest byte but one.
    private static func exceptionClass(_ name: String) -> UInt64 { name.utf8.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The type's mangled name, without its `_ZTS`.
    private func mangledName(_ type: UInt64) -> String? {
        // GNU marks names that are compared by address.
        data.word(at: type &+ 8).flatMap { data.text(at: $0) }.map { $0.hasPrefix("*") ? String($0.dropFirst()) : $0 }
    }

    /// `shop::EmptyCart`
    var typeName: String? {
        guard let name = mangledName(type) else { return nil }
        let (demangled, prefix) = (Demangler().demangle("_ZTI" + name), "typeinfo for ")
        return demangled.hasPrefix(prefix) ? String(demangled.dropFirst(prefix.count)) : nil
    }

    /// The result of `what()` of the standard's exceptions that have a text, or the thrown text or number itself.
    var text: String? {
        switch mangledName(type) {
        case "PKc", "Pc": return data.word(at: object).flatMap { data.text(at: $0) }
        case "i": return data.number(at: object, size: 4).map { String(Int32(truncatingIfNeeded: $0)) }
        // libstdc++: pointer and length.
        case "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE":
            guard let start = data.word(at: object), let count = data.word(at: object &+ 8) else { return nil }
            return data.text(at: start, count: count)
        default: break
        }
        var remaining = Self.maxBases
        guard let offset = offsetOfText(in: type, ClassTables(data), &remaining), let start = data.word(at: object &+ offset &+ 8),
            let count = data.word(at: start &- 24)
        else { return nil }
        // Both libraries have a counted string there, whose length is three words before its text.
        return data.text(at: start, count: count)
    }

    /// Maximum number of base classes that are examined.
    private static let maxBases = 64

    /// Returns where `std::logic_error` or `std::runtime_error` is in an object of the type.
    ///
    ///     __si_class_type_info    vtable, name, base
    ///     __vmi_class_type_info   vtable, name, flags, count, then for each base: base, offset << 8 | flags
    private func offsetOfText(in type: UInt64, _ tables: ClassTables, _ remaining: inout Int) -> UInt64? {
        if let name = mangledName(type), ["St11logic_error", "St13runtime_error"].contains(name) { return 0 }
        guard remaining > 0, let table = data.word(at: type) else { return nil }
        remaining -= 1
        if tables.single.contains(table) { return data.word(at: type &+ 16).flatMap { offsetOfText(in: $0, tables, &remaining) } }
        if tables.multiple.contains(table), let count = data.number(at: type &+ 20, size: 4) {
            for index in 0..<min(count, UInt64(Self.maxBases)) {
                let entry = type &+ 24 &+ index &* 16
                // The object itself has the offset of a virtual base.
                guard let base = data.word(at: entry), let placement = data.word(at: entry &+ 8), placement & 1 == 0 else { continue }
                let offset = UInt64(bitPattern: Int64(bitPattern: placement) >> 8)
                if let inner = offsetOfText(in: base, tables, &remaining) { return offset &+ inner }
            }
        }
        return nil
    }

    /// The virtual tables of classes with one public base, and of those with several. The program may have copies of them.
    private struct ClassTables {
        private(set) var single: [UInt64] = []
        private(set) var multiple: [UInt64] = []

        init(_ data: ProcessData) {
            let names = ["_ZTVN10__cxxabiv120__si_class_type_infoE", "_ZTVN10__cxxabiv121__vmi_class_type_infoE"]
            for image in [data.image(named: libraries), data.program].compactMap({ $0 }) {
                let symbols = data.symbols(names, in: image)
                // Two words precede the functions: an offset, and the table's own type.
                single += symbols[names[0]].map { [$0.lowerBound &+ 16] } ?? []
                multiple += symbols[names[1]].map { [$0.lowerBound &+ 16] } ?? []
            }
        }
    }
}
