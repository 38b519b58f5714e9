import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

@testable import Unwinding

/// Stacks of programs for Windows, before each instruction that a processor executes.
///
/// The functions of a PE image need nothing of Windows. A program maps the image, calls its first function, and records the
/// registers and the stack before each instruction. What a function's caller has is what the registers were at the function's first
/// instruction.
struct WindowsStackTests {
    static let canLink = Toolchain.has("clang", "ld.lld")
    static let missing = "the toolchain has no clang and ld.lld"
    static let levels = ["-O0", "-O1", "-O2", "-Os"]

    #if arch(x86_64)
        @Test(.enabled(if: canLink, "\(missing)"), arguments: levels)
        func `frames of x86-64 are right before every instruction of clang's functions`(level: String) throws {
            try StepRecords.withRecords("x86_64", [level]) { try Self.compare($0) }
        }

        @Test(
            .enabled(if: Installed.has("x86_64-w64-mingw32-gcc"), "no gcc-mingw-w64-x86-64 is installed"), arguments: levels)
        func `frames of x86-64 are right before every instruction of gcc's functions`(level: String) throws {
            try StepRecords.withRecords("x86_64", [level], compiler: "x86_64-w64-mingw32-gcc") { try Self.compare($0) }
        }
    #endif

    static let canEmulate = canLink && Installed.has("aarch64-linux-gnu-gcc", "qemu-aarch64")

    @Test(
        .enabled(if: canEmulate, "no gcc-aarch64-linux-gnu and qemu-user are installed"), arguments: levels, ["none", "pac-ret"])
    func `frames of arm64 are right before every instruction`(level: String, signing: String) throws {
        try StepRecords.withRecords("aarch64", [level, "-mbranch-protection=" + signing]) { try Self.compare($0) }
    }

    /// The frames of the functions that were called and have not returned.
    private struct Call {
        var returnAddress: UInt64
        var caller: Registers
    }

    private static func compare(_ records: StepRecords) throws {
        let object = try ObjectFiles.open(path: records.image)
        let processor = try #require(Processor(object.architecture))
        var starts: Set<UInt64> = []
        try object.forEachSymbol { symbol in
            if symbol.kind != .data { starts.insert(symbol.address.value) }
            return true
        }
        let base = object.baseAddress.value
        let size = try #require(object.imageSize)
        let tables = UnwindTables([object])
        let modules = ModuleMap([UnwindModule(base..<base + size) { UnwindModule.Image(tables, bias: 0) }])
        // Bits 39 and up of a signed return address.
        func plain(_ address: UInt64) -> UInt64 { processor == .arm64 ? address & 0x7f_ffff_ffff : address }
        let preserved = processor == .arm64 ? Array(19...29) : [3, 4, 5, 6, 12, 13, 14, 15]

        var calls: [Call] = []
        var (count, different) = (0, [String]())
        try records.forEach(processor) { registers, memory in
            let (counter, stack) = (registers.programCounter, registers.stackPointer)
            while let last = calls.last, last.returnAddress == counter, last.caller.stackPointer == stack { calls.removeLast() }
            if starts.contains(counter) {
                var caller = registers
                let address = registers.link ?? memory.read(stack, size: 8) ?? 0
                caller.stackPointer = stack + (registers.link == nil ? 8 : 0)
                caller.programCounter = plain(address)
                // Not a jump from a function whose frame is gone.
                if calls.last?.caller.stackPointer != caller.stackPointer || calls.last?.returnAddress != caller.programCounter {
                    calls.append(Call(returnAddress: caller.programCounter, caller: caller))
                }
            }
            let expected = try #require(calls.last).caller
            let rule = tables.rule(at: LinkAddress(counter), offset: counter - base, isReturn: false, processor)
            var found: Registers?
            if case .caller(let caller, false)? = rule?.caller(of: registers, memory, calleeParameters: 0) { found = caller }
            let isRight =
                found.map { found in
                    plain(found.programCounter) == expected.programCounter && found.stackPointer == expected.stackPointer
                        && preserved.allSatisfy { found[$0] == expected[$0] }
                } ?? false
            if !isRight { different.append("\(LinkAddress(counter)): \(String(describing: rule))") }
            let unwound = Unwinder(modules, memory, processor, usesFramePointers: false).stack(from: registers).frames
            let addresses = calls.reversed().map(\.returnAddress).prefix { $0 >= base && $0 < base + size }
            if unwound.map(\.programCounter) != [counter] + addresses { different.append("\(LinkAddress(counter)): \(unwound)") }
            count += 1
        }
        #expect(different.prefix(20) == [], "\(different.count) of \(count)")
        // The first function returned.
        #expect(calls.count == 1)
    }
}
