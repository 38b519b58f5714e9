import BinaryPrimitives
import TestSupport
import Testing
import Unwinding

/// Every frame's program counter and stack pointer of AOSP's offline unwinds.
struct OfflineUnwindTests {
    @Test(.enabled(if: OfflineUnwind.folder == nil, "the corpus is there")) func `without a corpus nothing is unwound`() {
        print("There is no corpus of memory (CAIRN_CORPUS, or shared/corpus beside the package): its tests have nothing to read.")
    }

    @Test(.enabled(if: OfflineUnwind.folder != nil, "there is no corpus")) func `there are unwinds to compare with`() {
        #expect(OfflineUnwind.names.count >= 6)
    }

    @Test(arguments: OfflineUnwind.names) func `every frame is the one that AOSP's test expects`(name: String) throws {
        let unwind = try OfflineUnwind(name)
        let stack = unwind.unwinder.stack(from: unwind.registers)
        let text = stack.frames.map { "\(String($0.programCounter, radix: 16)) \(String($0.stackPointer, radix: 16)) \($0.trust)" }
        // libunwindstack does not scan the stack's bytes above.
        let frames = stack.frames.prefix { $0.trust != .scan }
        #expect(frames.count == unwind.expected.count, "\(text) \(stack.end)")
        for (frame, expected) in zip(frames, unwind.expected) {
            #expect(frame.stackPointer == expected.stackPointer, "\(text) \(stack.end)")
            // libunwindstack has moved return addresses back into the call; and, as it does, the
            // address that a signal interrupted, which is exact.
            let moved = frame.programCounter &- expected.counter
            let step: Set<UInt64> =
                switch unwind.processor {
                case .arm64: [4]
                case .arm: [2, 4]
                default: [1]
                }
            let allowed = frame.trust == .context ? [0] : frame.isExact ? step.union([0]) : step
            #expect(allowed.contains(moved), "\(text) \(stack.end)")
        }
        #expect(frames.dropFirst().allSatisfy { $0.trust == .cfi }, "\(text)")
    }
}
