internal import BinaryPrimitives
internal import MemoryImages
internal import ObjectFiles
internal import Unwinding

/// The values of the Go panics that ended a process, which happens with `GOTRACEBACK=crash`.
///
/// A goroutine has its panics, the newest first (Go, src/runtime/runtime2.go):
///
///     g         stack { lo, hi }, stackguard0, stackguard1, _panic ─►, _defer, m
///     _panic    argp, arg { type ─►, value ─► }, link ─► the panic before
///
/// Before the runtime prints them, it replaces errors and values that have a text by that text (src/runtime/panic.go,
/// `preprintpanics`).
struct GoPanicValue {
    static let source = "runtime._panic"

    private let data: ProcessData
    /// The addresses of the program's types; `nil` in a stripped program.
    private let types: Range<UInt64>?

    /// - Returns: the newest panic's first.
    static func messages(thread: MemoryImage.Thread, stack: UnwoundStack, _ data: ProcessData) -> [RuntimeMessage] {
        guard data.wordSize == 8, let program = data.program,
            data.finder.files(of: program).objects.contains(where: { $0.goLineTable() != nil }),
            let goroutine = goroutines(of: thread, data).first(where: { isPanicking($0, stack, data) })
        else { return [] }
        let names = ["runtime.types", "runtime.etypes"]
        let symbols = data.symbols(names, in: program)
        let bounds = names.compactMap { symbols[$0]?.lowerBound }
        let reader = GoPanicValue(data: data, types: bounds.count == 2 && bounds[0] < bounds[1] ? bounds[0]..<bounds[1] : nil)
        var texts: [String] = []
        var (next, remaining) = (data.word(at: goroutine &+ 32), maxPanics)
        while let panic = next, panic != 0, remaining > 0 {
            if let text = reader.text(type: data.word(at: panic &+ 8), value: data.word(at: panic &+ 16)), !texts.contains(text) {
                texts.append(text)
            }
            next = data.word(at: panic &+ 24)
            remaining -= 1
        }
        return texts.map { RuntimeMessage(text: "panic: " + $0, source: source) }
    }

    /// Maximum number of panics of one goroutine that are read.
    private static let maxPanics = 8

    // MARK: The goroutine

    /// Returns the addresses at which the thread's goroutine may be: compiled code keeps it in a register, and x86-64's threads in
    /// their first variable, too (src/cmd/compile/abi-internal.md).
    private static func goroutines(of thread: MemoryImage.Thread, _ data: ProcessData) -> [UInt64] {
        let current: [UInt64?] =
            switch thread.registers.processor {
            case .x86_64: [thread.threadPointer.flatMap { data.word(at: $0 &- 8) }, thread.registers[14]]
            case .arm64: [thread.registers[28]]
            default: []
            }
        // While the thread runs a signal's handler or the runtime's own code, these are not the goroutine that panicked. The thread (`m`)
        // has it among its first fields (`curg`).
        return current.compactMap { $0 }.flatMap { own in
            [own] + (data.word(at: own &+ 48).map { thread in (0..<64).compactMap { data.word(at: thread &+ $0 * 8) } } ?? [])
        }
    }

    /// Whether a frame of the thread and a panic are on the goroutine's stack.
    private static func isPanicking(_ address: UInt64, _ stack: UnwoundStack, _ data: ProcessData) -> Bool {
        guard address != 0, let low = data.word(at: address), let high = data.word(at: address &+ 8), low < high,
            let panic = data.word(at: address &+ 32), (low..<high).contains(panic)
        else { return false }
        return stack.frames.contains { (low..<high).contains($0.stackPointer) }
    }

    // MARK: The value

    /// Returns a value as the runtime prints it (src/runtime/error.go, `printpanicval`); `nil` for one whose type is not known.
    private func text(type: UInt64?, value: UInt64?) -> String? {
        guard let type, let value else { return nil }
        guard type != 0 else { return "nil" }
        // src/internal/abi/type.go: size, pointer bytes, hash, flags, two alignments, the kind.
        guard let kind = data.number(at: type &+ 23, size: 1) else { return nil }
        let name = typeName(type)
        if let plain = plainText(kind: kind & 31, value) {
            guard let name, name.contains(".") else { return plain.text }
            return plain.isString ? "\(name)(\"\(plain.text)\")" : "\(name)(\(plain.text))"
        }
        return name.map { "(\($0)) 0x" + String(value, radix: 16) }
    }

    /// Returns the text of a string, a number or a truth value.
    /// - Parameter kind: `abi.Kind`.
    private func plainText(kind: UInt64, _ address: UInt64) -> (text: String, isString: Bool)? {
        func number(_ size: Int) -> UInt64? { data.number(at: address, size: size) }
        let text: String? =
            switch kind {
            case 1: number(1).map { $0 == 0 ? "false" : "true" }
            case 2, 6: number(8).map { String(Int64(bitPattern: $0)) }
            case 3: number(1).map { String(Int8(truncatingIfNeeded: $0)) }
            case 4: number(2).map { String(Int16(truncatingIfNeeded: $0)) }
            case 5: number(4).map { String(Int32(truncatingIfNeeded: $0)) }
            case 7, 11, 12: number(8).map { String($0) }
            case 8: number(1).map { String($0) }
            case 9: number(2).map { String($0) }
            case 10: number(4).map { String($0) }
            case 13: number(4).map { Self.text(Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))) }
            case 14: number(8).map { Self.text(Double(bitPattern: $0)) }
            case 24: number(8).flatMap { start in data.word(at: address &+ 8).flatMap { data.text(at: start, count: $0) } }
            default: nil
            }
        return text.map { ($0, kind == 24) }
    }

    /// Returns a number with its sign, seven digits and an exponent of three (src/runtime/print.go, `printfloat`): `+1.500000e+000`.
    private static func text(_ number: Double) -> String {
        guard number.isFinite else { return number.isNaN ? "NaN" : number < 0 ? "-Inf" : "+Inf" }
        var (value, exponent) = (number.magnitude, 0)
        if value > 0 {
            while value >= 10 { (value, exponent) = (value / 10, exponent + 1) }
            while value < 1 { (value, exponent) = (value * 10, exponent - 1) }
            value += 0.000_000_5
            if value >= 10 { (value, exponent) = (value / 10, exponent + 1) }
        }
        var digits = String(Int(value * 1_000_000))
        digits = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
        let power = String(exponent.magnitude)
        return (number.sign == .minus ? "-" : "+") + digits.prefix(1) + "." + digits.dropFirst() + (exponent < 0 ? "e-" : "e+")
            + String(repeating: "0", count: max(0, 3 - power.count)) + power
    }

    /// Returns a type's name, such as `main.shopError`: flags, the length in groups of seven bits, the bytes.
    private func typeName(_ type: UInt64) -> String? {
        guard let types, types.contains(type), let flags = data.number(at: type &+ 20, size: 1),
            let offset = data.number(at: type &+ 40, size: 4), types.contains(types.lowerBound &+ offset)
        else { return nil }
        let header = data.finder.bytes(at: types.lowerBound &+ offset, count: 3)
        guard header.count == 3 else { return nil }
        let isLong = header[1] & 0x80 != 0
        let count = UInt64(header[1] & 0x7f) | (isLong ? UInt64(header[2] & 0x7f) << 7 : 0)
        let name = data.text(at: types.lowerBound &+ offset &+ (isLong ? 3 : 2), count: count)
        // The name of the pointer's type serves for both (`TFlagExtraStar`).
        return flags & 2 == 0 ? name : name.map { String($0.dropFirst()) }
    }
}
