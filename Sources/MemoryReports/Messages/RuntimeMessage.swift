internal import BinaryPrimitives
internal import CrashLogModel
internal import MemoryImages
internal import Unwinding

/// A text about the crash that a runtime keeps for debuggers, and where it was read.
///
/// For example `m: m.c:11: main: Assertion `n == 1' failed.` from `__abort_msg`.
struct RuntimeMessage: Equatable {
    var text: String
    /// The name of the variable or function that leads to it.
    var source: String

    /// Returns the messages of a process that ended itself; the one that says most is the first.
    /// - Parameters:
    ///   - thread: the thread that ended the process.
    ///   - stack: its stack.
    static func messages(_ cause: CrashCause, thread: MemoryImage.Thread, stack: UnwoundStack, _ data: ProcessData) -> [RuntimeMessage] {
        let signal = cause.signal ?? ""
        var found: [RuntimeMessage?] = []
        // Swift's checks end in a trap.
        if ["SIGILL", "SIGTRAP", "SIGABRT"].contains(signal) { found.append(swift(data)) }
        if signal == "SIGABRT" {
            found += GoPanicValue.messages(thread: thread, stack: stack, data)
            found.append(RustPanicMessage.message(stack: stack, data))
            found.append(ThrownException.message(thread: thread, stack: stack, data))
            found.append(glibc(data))
        }
        return found.compactMap { $0 }
    }

    /// glibc keeps what it prints before it calls abort: failed assertions, and what malloc and the stack protector
    /// found (`assert/assert.c`, `sysdeps/posix/libc_fatal.c`).
    ///
    ///     __abort_msg ─► unsigned int size   of the whole, in pages
    ///                    char msg[]
    private static func glibc(_ data: ProcessData) -> RuntimeMessage? {
        let name = "__abort_msg"
        guard let image = data.image(named: ["libc.so", "libc-2"]), let variable = data.symbols([name], in: image)[name]?.lowerBound,
            let address = data.word(at: variable), address != 0, let size = data.number(at: address, size: 4), size > 4
        else { return nil }
        return data.text(at: address &+ 4, count: size - 4).map { RuntimeMessage(text: $0, source: name) }
    }

    /// Swift's runtime keeps the message of the error that it prints (Swift 6, `stdlib/public/runtime/Errors.cpp`).
    private static func swift(_ data: ProcessData) -> RuntimeMessage? {
        let (function, variable) = ("swift_getFatalErrorMessageBuffer", "_ZL18kFatalErrorMessage")
        guard let image = data.image(named: ["libswiftCore.so"]) else { return nil }
        let symbols = data.symbols([function, variable], in: image)
        // A stripped library has only the function, which returns the variable's address.
        let address = symbols[variable]?.lowerBound ?? symbols[function].flatMap { ReturnedAddress(of: $0, data)?.value }
        return address.flatMap { data.word(at: $0) }.flatMap { data.text(at: $0) }.map { RuntimeMessage(text: $0, source: function) }
    }
}

/// The address that a function of a few instructions leads to, on x86-64: `lea ADDRESS(%rip), REGISTER`.
struct ReturnedAddress {
    let value: UInt64

    /// - Parameter function: the function's range; at most the first 32 bytes are examined.
    init?(of function: Range<UInt64>, _ data: ProcessData) {
        guard data.finder.memory.processor == .x86_64 else { return nil }
        let code = data.finder.bytes(at: function.lowerBound, count: min(32, function.count))
        // REX.W 8d, mod 0, r/m 5; the displacement counts from the next instruction.
        for index in code.indices.dropLast(6)
        where code[index] == 0x48 && code[index + 1] == 0x8d && code[index + 2] & 0xc7 == 0x05 {
            guard let distance = try? code.span.rawBytes.value(Int32.self, at: index + 3, .littleEndian) else { return nil }
            value = function.lowerBound &+ UInt64(index + 7) &+ UInt64(bitPattern: Int64(distance))
            return
        }
        return nil
    }
}
