import BinaryPrimitives
import CallFrames
import ObjectFiles
import TestSupport
import Testing

@testable import CallSites
@testable import Unwinding

/// Frames of functions, as their instructions say.
struct CodeLayoutTests {
    /// The CFA's distance from the stack pointer before each instruction, by position; `nil` if it is not known.
    private static func distances(_ machine: some CodeMachine, _ processor: Processor, _ code: [UInt8]) throws -> [Int: Int64?] {
        let convention = try #require(CallingConvention(processor))
        let bytes = code.span.rawBytes
        let found = CodeWalk(machine, convention, in: bytes)
        let walk = try #require(found)
        var distances: [Int: Int64?] = [:]
        walk.forEachState(in: bytes) { position, state in
            distances.updateValue(Self.distance(state.stackPointer), forKey: position)
        }
        return distances
    }

    private static func distance(_ value: CodeState.Value) -> Int64? {
        if case .frame(let offset) = value { -offset } else { nil }
    }

    @Test func `x86-64's pushes and subtractions add up`() throws {
        // musl's `sift` (qsort.c): push %r12; push %rbp; push %rbx; sub $0x3c8, %rsp; ret. The return address has 8 bytes,
        // each push 8: 32 + 0x3c8 = 1000.
        let code: [UInt8] = [0x41, 0x54, 0x55, 0x53, 0x48, 0x81, 0xec, 0xc8, 0x03, 0, 0, 0xc3]
        #expect(try Self.distances(X86Code(is64Bit: true), .x86_64, code) == [0: 8, 2: 16, 3: 24, 4: 32, 11: 1000])
    }

    @Test func `i386's pushed arguments are part of the frame until they are removed`() throws {
        // push %ebx; push $1; call; add $4, %esp; pop %ebx; ret.
        let code: [UInt8] = [0x53, 0x6a, 1, 0xe8, 0, 1, 0, 0, 0x83, 0xc4, 4, 0x5b, 0xc3]
        #expect(try Self.distances(X86Code(is64Bit: false), .i386, code) == [0: 4, 1: 8, 3: 12, 8: 12, 11: 8, 12: 4])
    }

    @Test func `after a return the frame is that of the branch that leads there`() throws {
        // push %rbx; je to the last two; pop %rbx; ret; pop %rbx; ret.
        let code: [UInt8] = [0x53, 0x74, 2, 0x5b, 0xc3, 0x5b, 0xc3]
        #expect(try Self.distances(X86Code(is64Bit: true), .x86_64, code) == [0: 8, 1: 16, 3: 16, 4: 8, 5: 16, 6: 8])
    }

    @Test func `after a subtraction of an unknown number the frame pointer leads on`() throws {
        // push %rbp; mov %rsp, %rbp; sub %rax, %rsp; nop.
        let code: [UInt8] = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x29, 0xc4, 0x90]
        #expect(try Self.distances(X86Code(is64Bit: true), .x86_64, code) == [0: 8, 1: 16, 4: 16, 7: nil])
        let made = CodeLayout(code.span.rawBytes, at: 7, isReturn: false, address: 0, .x86_64, isThumb: false)
        let layout = try #require(made)
        // At 0x7010 the saved rbp, above it the return address.
        var writer = ByteWriter()
        for word: UInt64 in [0, 0, 0x7100, 0x40_0111] { writer.put(word) }
        let memory = Memory([.init(address: 0x7000, .bytes(writer.bytes))], .littleEndian)
        var registers = Registers(.x86_64, programCounter: 7, stackPointer: 0x7000)
        registers[name: "rbp"] = 0x7010
        let caller = try #require(layout.caller(of: registers, memory))
        #expect(caller.programCounter == 0x40_0111 && caller.stackPointer == 0x7020 && caller[name: "rbp"] == 0x7100)
    }

    @Test func `i386's main finds the stack of before it was aligned`() throws {
        // lea 4(%esp), %ecx; and $-16, %esp; push -4(%ecx); push %ebp; mov %esp, %ebp; push %ecx; nop (gcc).
        let code: [UInt8] = [0x8d, 0x4c, 0x24, 4, 0x83, 0xe4, 0xf0, 0xff, 0x71, 0xfc, 0x55, 0x89, 0xe5, 0x51, 0x90]
        let made = CodeLayout(code.span.rawBytes, at: 14, isReturn: false, address: 0, .i386, isThumb: false)
        let layout = try #require(made)
        // At entry esp is 0x7018, where the return address is: ecx is 0x701c. Aligned, 0x7010; below it the return
        // address again, ebp at 0x7008, and ecx at 0x7004.
        var writer = ByteWriter()
        for word: UInt64 in [0, 0x701c, 0x7200, 0x40_0111, 0, 0, 0x40_0111, 0] { writer.put(word, size: 4) }
        let memory = Memory([.init(address: 0x7000, .bytes(writer.bytes))], .littleEndian)
        var registers = Registers(.i386, programCounter: 14, stackPointer: 0x7004)
        registers[name: "ebp"] = 0x7008
        let caller = try #require(layout.caller(of: registers, memory))
        #expect(caller.programCounter == 0x40_0111 && caller.stackPointer == 0x701c && caller[name: "ebp"] == 0x7200)
    }

    /// A function that saves the link register 8 bytes (of 32 bits: 4) below the CFA, and a nop.
    static let links: [(Processor, [UInt8], isThumb: Bool, position: Int, frame: UInt64)] = [
        // stp x29, x30, [sp, #-16]!; nop.
        (.arm64, [0xfd, 0x7b, 0xbf, 0xa9, 0x1f, 0x20, 0x03, 0xd5], false, 4, 16),
        // push {r4, lr}; nop.
        (.arm, [0x10, 0x40, 0x2d, 0xe9, 0x00, 0xf0, 0x20, 0xe3], false, 4, 8),
        // push {r4, lr}; sub sp, #8; nop.
        (.arm, [0x10, 0xb5, 0x82, 0xb0, 0x00, 0xbf], true, 4, 16),
        // addi sp, sp, -32; sd ra, 24(sp); nop.
        (.riscv64, [0x01, 0x11, 0x06, 0xec, 0x01, 0x00], false, 4, 32),
    ]

    @Test(arguments: links.indices) func `the return address is where the link register was saved`(index: Int) throws {
        let (processor, code, isThumb, position, frame) = Self.links[index]
        let made = CodeLayout(code.span.rawBytes, at: position, isReturn: false, address: 0, processor, isThumb: isThumb)
        let layout = try #require(made)
        var writer = ByteWriter()
        let word = UInt64(processor.registerSize)
        for offset in stride(from: 0, to: frame, by: Int(word)) {
            writer.put(offset == frame - word ? 0x40_0111 as UInt64 : 0, size: processor.registerSize)
        }
        let memory = Memory([.init(address: 0x7000, .bytes(writer.bytes))], .littleEndian)
        let caller = try #require(
            layout.caller(of: Registers(processor, programCounter: UInt64(position), stackPointer: 0x7000), memory))
        #expect(caller.programCounter == 0x40_0111 && caller.stackPointer == 0x7000 + frame)
    }

    @Test func `a leaf function's return address is in the link register, and not after a call`() throws {
        // nop; bl; nop.
        let code: [UInt8] = [0x1f, 0x20, 0x03, 0xd5, 0x00, 0x01, 0x00, 0x94, 0x1f, 0x20, 0x03, 0xd5]
        func caller(at position: Int) throws -> UInt64? {
            let made = CodeLayout(code.span.rawBytes, at: position, isReturn: false, address: 0, .arm64, isThumb: false)
            let layout = try #require(made)
            var registers = Registers(.arm64, programCounter: UInt64(position), stackPointer: 0x7000)
            registers[name: "lr"] = 0x40_0111
            return layout.caller(of: registers, Memory([], .littleEndian))?.programCounter
        }
        #expect(try caller(at: 4) == 0x40_0111)
        #expect(try caller(at: 8) == nil)
    }

    // MARK: Against compilers' rules

    private static let libraries = [
        "/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib32/libc.so.6",
        "/lib/aarch64-linux-gnu/libc.so.6",
        "/usr/aarch64-linux-gnu/lib/libc.so.6", "/usr/riscv64-linux-gnu/lib/libc.so.6",
    ].filter { TestPaths.isReadable($0) }

    /// The rules are those of `.eh_frame`, which are for every instruction. Where the two differ is mostly hand-written code,
    /// whose rules leave out some instructions.
    @Test(.enabled(if: !libraries.isEmpty, "no C library has rules here"), arguments: libraries)
    func `the instructions say what the unwind rules say`(path: String) throws {
        let object = try ObjectFiles.open(path: path)
        let processor = try #require(Processor(object.architecture))
        let convention = try #require(CallingConvention(processor))
        let frames = try #require(CallFrames(object))
        let sites = try #require(CallSites([object]))
        let entry = Self.distance(CodeState(convention).stackPointer)
        var (equal, unknown, different) = (0, 0, 0)
        var wrong: [String] = []
        // Each 17th function.
        let starts = Set((ExceptionFrames(object)?.allRanges() ?? []).map(\.lowerBound)).sorted()
        for index in stride(from: 0, to: starts.count, by: 17) {
            // Stubs of the linker, and parts of functions, begin with another frame.
            guard case .register(_, let first, nil)? = frames.rules(at: starts[index])?.frame, first == entry else { continue }
            _ = sites.withFunction(containing: starts[index]) { start, code in
                Self.forEachState(processor, convention, start.value, code) { position, state in
                    let address = LinkAddress(start.value + UInt64(position))
                    guard case .register(let register, let offset, nil)? = frames.rules(at: address)?.frame else { return }
                    switch Self.distance(state[Int(register)]) {
                    case offset: equal += 1
                    case nil: unknown += 1
                    case let other?:
                        different += 1
                        wrong.append("\(address): \(other), not \(offset)")
                    }
                }
                return true
            }
        }
        let total = equal + unknown + different
        #expect(equal >= total * 99 / 100, "\(equal) equal, \(unknown) unknown, \(different) different")
        #expect(different <= total / 200, "\(wrong.prefix(20))")
    }

    private static func forEachState(
        _ processor: Processor, _ convention: CallingConvention, _ address: UInt64, _ code: RawSpan, _ body: (Int, CodeState) -> Void
    ) {
        func walk(_ machine: some CodeMachine) { CodeWalk(machine, convention, in: code)?.forEachState(in: code, body) }
        switch processor {
        case .x86_64, .i386: walk(X86Code(is64Bit: processor == .x86_64))
        case .arm64: walk(ARM64Code())
        default: walk(RISCVCode(is64Bit: true))
        }
    }

    // MARK: Any bytes

    @Test(arguments: [Processor.x86_64, .i386, .arm64, .arm, .riscv64, .riscv32])
    func `any bytes are read as code to their end`(processor: Processor) {
        var seed: UInt64 = 0x9e37_79b9_7f4a_7c15
        for round in 0..<400 {
            // Knuth's numbers (MMIX).
            let code = (0..<512).map { _ in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: seed >> 33)
            }
            for position in [0, 1, 2, 64, 511, 512, 513] {
                let layout = CodeLayout(
                    code.span.rawBytes, at: position, isReturn: round & 1 == 0, address: 0x1002, processor, isThumb: round & 2 == 0)
                // Before the first instruction nothing has changed.
                if position == 0, round & 1 == 1 { #expect(layout != nil) }
            }
        }
    }
}
