internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Crashes that the panic handler of ESP-IDF prints, and so Arduino and every other framework on an ESP32:
    ///
    ///     Guru Meditation Error: Core  0 panic'ed (LoadProhibited). Exception was unhandled.
    ///     Core  0 register dump:
    ///     PC      : 0x4008b565  PS      : 0x00060f30  A0      : 0x800dc822  A1      : 0x3ffc3440
    ///     Backtrace:0x4008b562:0x3ffc3440 0x400dc81f:0x3ffc3450 |<-CONTINUES
    ///     ELF file SHA256: 0123456789abcdef
    ///
    /// Each pair is a program counter and a stack pointer. `esp_backtrace_print_from_frame`
    /// (`components/esp_system/port/arch/xtensa/debug_helpers.c`) prints the counters three bytes earlier, the first
    /// included, and with the window's bits replaced (`esp_cpu_process_stack_pc`): they are looked up unchanged. The
    /// chips with RISC-V have no backtrace unless it was configured (`CONFIG_ESP_SYSTEM_USE_EH_FRAME`); its addresses
    /// are then return addresses, except for the first (`esp_eh_frame_print_backtrace`,
    /// `components/esp_system/eh_frame_parser.c`). `MEPC` is the instruction, `RA` the return address of the innermost
    /// call (`port/arch/riscv/panic_arch.c`). The dump that follows, `Stack memory:`, does not mark return addresses,
    /// so that none of its words becomes a frame.
    ///
    /// The firmware runs at the address that it is linked at. `ELF file SHA256` is a shortened checksum of the file,
    /// not an identifier in it.
    static let espIDF = StackCard(
        name: "esp-idf",
        summary: "ESP-IDF and Arduino on ESP32: “Guru Meditation Error”, Backtrace: with pairs, MEPC and RA",
        openings: [
            .anywhere("Guru Meditation Error: Core"), .start("Backtrace:0x4"), .start("Backtrace: 0x4"),
            .anywhere("Core  0 register dump:"), .anywhere("Core  1 register dump:"),
        ],
        rule: .movedBack,
        addresses: .asLinked,
        maxUnrecognizedLines: 24,
        read: { EspressifText.read($0) },
        finish: { report in
            guard report.architecture == .riscv32 else { return }
            report.changeStacks { stack in
                for index in stack.frames.indices where stack.frames[index].kind == .exact {
                    stack.frames[index].kind = index == 0 ? .programCounter : .returnAddress
                }
            }
        })

    /// Exceptions that the Arduino core for ESP8266 prints (`cores/esp8266/core_esp8266_postmortem.cpp`):
    ///
    ///     Exception (28):
    ///     epc1=0x4020a5d4 epc2=0x00000000 epc3=0x00000000 excvaddr=0x000001bb depc=0x00000000
    ///     >>>stack>>>
    ///     3ffefe70:  e51988ff 3ffeff14 3ffefee0 4020190c
    ///     <<<stack<<<
    ///
    /// `epc1` is the instruction, as linked. The stack is a dump of machine words: values in the range of code
    /// (0x40100000 to 0x40107fff, and flash from 0x40200000) may be return addresses, or left over from earlier calls.
    /// They become frames that are marked as unreliable, as the tools for these chips show them.
    static let esp8266 = StackCard(
        name: "esp8266",
        summary: "Arduino on ESP8266: “Exception (28):” with epc1, and the words of its stack dump that point to code",
        openings: [.start("epc1=0x4"), .start(">>>stack>>>")] + EspressifText.exceptions.keys.map { .start("Exception (\($0)):") },
        rule: .returnAddresses,
        addresses: .asLinked,
        maxUnrecognizedLines: 8,
        read: { EspressifText.readESP8266($0) })
}

enum EspressifText {
    // MARK: ESP32

    static func read(_ line: Span<UInt8>) -> StackLine? {
        let text = line.trimmed()
        if let range = text.firstRange(of: "Guru Meditation Error: ") { return .cause(cause(text.from(range.upperBound))) }
        if text.hasPrefix("Backtrace:") { return pairs(line).map { .rows($0) } }
        if text.hasPrefix("MEPC ") { return registers(line).map { .several([.architecture(.riscv32), .rows($0)]) } }
        if text.hasSuffix(" register dump:") || text.hasPrefix("ELF file SHA256: ") { return .skipped }
        // `PC      : 0x4008b565  PS      : 0x00060f30`: the backtrace begins with it.
        if text.count > 10, text[8] == UInt8(ascii: ":"), text.from(10).hasPrefix("0x") { return .skipped }
        return text.equals("Stack memory:") ? .last : nil
    }

    /// Reads the cause: `Core  0 panic'ed (LoadProhibited). Exception was unhandled.`
    private static func cause(_ text: Span<UInt8>) -> CrashCause {
        var cause = CrashCause(kind: .runtimeError)
        if let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.firstIndex(of: UInt8(ascii: ")"), from: open) {
            cause.type = text.clamped(to: open + 1..<close).text
        }
        cause.message = text.text
        return cause
    }

    /// Reads the rows of a backtrace line: `Backtrace:0x4008b562:0x3ffc3440 0x400dc81f:0x3ffc3450 |<-CORRUPTED`.
    private static func pairs(_ line: Span<UInt8>) -> [StackRow]? {
        guard let mark = line.firstRange(of: "Backtrace:") else { return nil }
        var rest = line.from(mark.upperBound)
        var rows: [StackRow] = []
        while rows.count < Limits.standard.framesPerThread {
            rest.skipBlanks()
            let start = line.count - rest.count
            guard let counter = rest.readAddress() else { break }
            let end = line.count - rest.count
            guard rest.consume(":"), rest.readAddress() != nil else { break }
            // The target of a wild jump is not code.
            guard counter != 0 else { continue }
            var row = StackRow(
                number: rows.count, in: start..<line.count - rest.count, address: counter, addressRange: start..<end, kind: .exact)
            row.readResultInside(line)
            rest = line.from(row.end)
            rows.append(row)
        }
        return rows.isEmpty ? nil : rows
    }

    /// Reads the rows of a register line:
    /// `MEPC    : 0x42005322  RA      : 0x42005316  SP      : 0x3fcac2e0  GP      : 0x3fc8da00`.
    private static func registers(_ line: Span<UInt8>) -> [StackRow]? {
        RegisterRows.rows(in: line, [("MEPC", .programCounter), ("RA", .returnAddress)])
    }

    // MARK: ESP8266

    /// Causes of exceptions of the Xtensa processor, from ESP8266's manual (`doc/exception_causes.rst` of the Arduino
    /// core).
    static let exceptions: [UInt64: String] = [
        0: "IllegalInstruction", 2: "InstructionFetchError", 3: "LoadStoreError", 6: "IntegerDivideByZero", 9: "LoadStoreAlignment",
        20: "InstFetchProhibited", 28: "LoadProhibited", 29: "StoreProhibited",
    ]

    private static func exception(_ text: Span<UInt8>) -> CrashCause? {
        var rest = text
        guard rest.consume("Exception ("), let number = rest.readDecimal(), rest.equals("):") else { return nil }
        return CrashCause(kind: .runtimeError, type: exceptions[number] ?? "exception \(number)")
    }

    static func readESP8266(_ line: Span<UInt8>) -> StackLine? {
        let text = line.trimmed()
        if let cause = exception(text) { return .cause(cause) }
        if text.hasPrefix("epc1=") { return RegisterRows.rows(in: line, [("epc1", .programCounter)]).map { .rows($0) } ?? .skipped }
        if text.hasPrefix(">>>stack>>>") || text.hasPrefix("ctx: ") || text.hasPrefix("sp: ") || text.count == 0 { return .skipped }
        if text.hasPrefix("<<<stack<<<") { return .last }
        return stackDump(line)
    }

    /// Reads a line of the stack dump: `3ffefe70:  e51988ff 3ffeff14 3ffefee0 4020190c  <`.
    private static func stackDump(_ line: Span<UInt8>) -> StackLine? {
        var rest = line.from(line.indent)
        guard rest.hasPrefix("3ff"), rest.readHexadecimal() != nil, rest.consume(":") else { return nil }
        var rows: [StackRow] = []
        while rows.count < 4 {
            rest.skipBlanks()
            let start = line.count - rest.count
            guard let value = rest.readHexadecimal(), line.count - rest.count - start == 8 else { break }
            guard isCode(value) else { continue }
            var row = StackRow(number: nil, in: start..<start + 8, address: value)
            row.addressRange = row.start..<row.end
            row.kind = .returnAddress
            row.isUnreliable = true
            row.readResultInside(line)
            rest = line.from(row.end)
            rows.append(row)
        }
        return rows.isEmpty ? .skipped : .rows(rows)
    }

    /// Whether the value is an address in instruction RAM or in mapped flash (`tools/sdk/ld/eagle.flash.*.ld`:
    /// `iram1_0_seg` and `irom0_0_seg`).
    private static func isCode(_ value: UInt64) -> Bool {
        (0x4010_0000..<0x4010_8000).contains(value) || (0x4020_0000..<0x4030_0000).contains(value)
    }
}
