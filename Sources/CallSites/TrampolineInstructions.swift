internal import BinaryPrimitives
internal import ObjectFiles

/// The instructions of the trampolines that Linux's C libraries and vDSOs have for each processor.
///
/// Sources: glibc's `sysdeps/unix/sysv/linux/*/sigaction.c` and `libc_sigaction.c`; the kernel's
/// `arch/*/kernel/vdso*/sigreturn.S` and `arch/arm/kernel/sigreturn_codes.S`.
struct TrampolineInstructions: Sendable {
    private let sequences: [[UInt8]]

    /// - Returns: `nil` for a processor whose trampolines are not known.
    init?(_ object: ObjectFile) {
        guard let machine = Machine(object) else { return nil }
        switch machine {
        // mov $15,%rax; syscall. popl %eax; movl $119,%eax; int $0x80, and movl $173,%eax; int
        // $0x80.
        case .x86(let set):
            sequences =
                set.is64Bit
                ? [[0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05]]
                : [[0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80], [0xb8, 0xad, 0, 0, 0, 0xcd, 0x80]]
        // mov x8,#139; svc #0.
        case .arm64: sequences = Self.encoded([[0xd280_1168, 0xd400_0001]], .littleEndian)
        // mov r7,#119 or #173; svc #0, or with the number of the old interface. In Thumb movs
        // or mov.w, svc.
        case .arm(let set, _):
            sequences =
                Self.encoded(
                    [[0xe3a0_7077, 0xef00_0000], [0xe3a0_70ad, 0xef00_0000], [0xe3a0_7077, 0xef90_0077], [0xe3a0_70ad, 0xef90_00ad]],
                    set.order)
                + Self.halves([[0x2777, 0xdf00], [0x27ad, 0xdf00], [0xf04f, 0x0777, 0xdf00], [0xf04f, 0x07ad, 0xdf00]], set.order)
        // li a7,139; ecall.
        case .riscv: sequences = Self.encoded([[0x08b0_0893, 0x0000_0073]], .littleEndian)
        // [addi r1,r1,N;] li r0,172 or 119; sc.
        case .powerPC(let set): sequences = Self.encoded([[0x3800_00ac, 0x4400_0002], [0x3800_0077, 0x4400_0002]], set.order)
        // svc 173, svc 119.
        case .s390: sequences = [[0x0a, 0xad], [0x0a, 0x77]]
        // li v0,N; syscall: sigreturn and rt_sigreturn of o32, rt_sigreturn of n64 and n32.
        case .mips(let set):
            sequences = Self.encoded(
                [[0x2402_1017, 0x0000_000c], [0x2402_1061, 0x0000_000c], [0x2402_145b, 0x0000_000c], [0x2402_1843, 0x0000_000c]], set.order)
        // li.w a7,139 (ori or addi.w); syscall 0.
        case .loongArch: sequences = Self.encoded([[0x0382_2c0b, 0x002b_0000], [0x0282_2c0b, 0x002b_0000]], .littleEndian)
        // mov 101,%g1; ta 0x6d. With 32 bits ta 0x10, and 216 of the old interface.
        case .sparc(let set):
            sequences = Self.encoded(
                set.is64Bit ? [[0x8210_2065, 0x91d0_206d]] : [[0x8210_2065, 0x91d0_2010], [0x8210_20d8, 0x91d0_2010]], .bigEndian)
        }
        if case .powerPC(let set) = machine { frameRelease = set.order } else { frameRelease = nil }
    }

    /// Set on PowerPC: the kernel returns to the instruction before, which removes the handler's frame from
    /// the stack.
    private let frameRelease: ByteOrder?

    /// Whether some bytes begin with a trampoline.
    func begin(_ code: RawSpan) -> Bool {
        if sequences.contains(where: { Self.begins(code, $0) }) { return true }
        // addi r1,r1,N.
        guard let frameRelease, let word = code.word(UInt32.self, at: 0, frameRelease), word >> 16 == 0x3821, let rest = try? code.from(4)
        else {
            return false
        }
        return sequences.contains { Self.begins(rest, $0) }
    }

    private static func begins(_ code: RawSpan, _ bytes: [UInt8]) -> Bool {
        guard code.byteCount >= bytes.count else { return false }
        for index in bytes.indices where code.byte(at: index) != bytes[index] { return false }
        return true
    }

    private static func encoded(_ words: [[UInt32]], _ order: ByteOrder) -> [[UInt8]] { words.map { $0.flatMap { bytes($0, order) } } }

    private static func halves(_ halves: [[UInt16]], _ order: ByteOrder) -> [[UInt8]] { halves.map { $0.flatMap { bytes($0, order) } } }

    private static func bytes<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value, _ order: ByteOrder) -> [UInt8] {
        let bytes = (0..<Value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> Value($0 * 8)) }
        return order == .littleEndian ? bytes : bytes.reversed()
    }
}
