import BinaryPrimitives
import TestSupport
import Unwinding

/// What a processor had before each instruction of a program for Windows: its registers and its stack.
struct StepRecords {
    private static let sources = TestPaths.root + "/Tests/Crashes/windows"

    /// The PE image.
    let image: String
    private let records: [UInt8]

    /// Compiles the functions of `shapes.c`, runs them, and gives what was recorded to `body`.
    /// - Parameters:
    ///   - architecture: `x86_64` runs on this machine, `aarch64` in qemu.
    ///   - options: the compiler's.
    ///   - compiler: one for Windows; `nil`: the toolchain's clang.
    static func withRecords(
        _ architecture: String, _ options: [String], compiler: String? = nil, _ body: (StepRecords) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let (image, output, recorder) = (folder + "/shapes.exe", folder + "/records", folder + "/recorder")
            let options = options + ["-std=gnu11", "-fno-builtin", sources + "/shapes.c"]
            if let compiler {
                try run(compiler, options + ["-nostdlib", "-Wl,--entry=start", "-o", image]).requireSuccess()
            } else {
                try Toolchain.run("clang", ["-target", architecture + "-w64-mingw32", "-c", "-o", image + ".o"] + options).requireSuccess()
                let format = architecture == "x86_64" ? "i386pep" : "arm64pe"
                try Toolchain.run("ld.lld", ["-m", format, image + ".o", "--entry", "start", "--image-base", "0x140000000", "-o", image])
                    .requireSuccess()
            }
            let entry = String(try Self.entry(readFile(image)), radix: 16)
            let isNative = architecture == "x86_64"
            let native = isNative ? "gcc" : "aarch64-linux-gnu-gcc"
            try run(native, ["-O1", isNative ? "-w" : "-static", "-o", recorder, sources + "/recorder.c"]).requireSuccess()
            let command = (isNative ? [] : ["qemu-aarch64", "-cpu", "max"]) + [recorder, image, entry, output]
            try run(command[0], Array(command.dropFirst())).requireSuccess()
            try body(StepRecords(image: image, records: try readFile(output)))
        }
    }

    /// The entry point's address, in the optional header.
    private static func entry(_ bytes: [UInt8]) throws -> UInt64 {
        let bytes = bytes.span.rawBytes
        let optional = Int(try bytes.value(UInt32.self, at: 60, .littleEndian)) + 24
        return try bytes.value(UInt64.self, at: optional + 24, .littleEndian)
            + UInt64(try bytes.value(UInt32.self, at: optional + 16, .littleEndian))
    }

    /// Calls `body` with the registers and the stack before each instruction, in the order of execution.
    func forEach(_ processor: Processor, _ body: (Registers, Memory) throws -> Void) throws {
        let count = processor == .arm64 ? 33 : 17
        var position = 0
        while position < records.count {
            let words = try (0...count).map { try records.span.rawBytes.value(UInt64.self, at: position + 8 * $0, .littleEndian) }
            var registers = Registers(processor, programCounter: words[count - 1], stackPointer: words[processor.stackPointer])
            for number in 0..<count - 1 { registers[number] = words[number] }
            let start = position + 8 * (count + 1)
            let end = start + Int(words[count])
            try body(registers, Memory([.init(address: registers.stackPointer, .bytes(Array(records[start..<end])))], .littleEndian))
            position = end
        }
    }
}
