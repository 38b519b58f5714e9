import BinaryPrimitives
import CrashLogModel
import Testing

/// Cores of programs whose stack was overwritten.
struct OverwrittenStackTests {
    private static let source = """
        #include <stdlib.h>
        __attribute__((noinline)) static void copy(char *d, int n) { for (int i = 0; i < n; i++) d[i] = 'A'; }
        __attribute__((noinline)) static int victim(int n) { char b[16]; copy(b, n); return b[3]; }
        __attribute__((noinline)) int outer(int n) { int r = victim(n); return r + 1; }
        int main(int c, char **v) { int r = outer(atoi(v[1])); return r; }
        """

    /// The letter A is 0x41. `victim` has 16 bytes and what the compiler saves between them and its return address.
    @Test(.enabled(if: MadeCrash.isPossible, "gcc is not installed, or cores go elsewhere"), arguments: [["-O1"], ["-O2"], ["-O0"]])
    func `the overwritten return address is a frame, with a note`(options: [String]) throws {
        let made = try MadeCrash(Self.source, "a.c", ["gcc", "-g", "-fno-stack-protector"] + options, arguments: ["40"])
        #expect(made.functions.first == "victim")
        let frames = made.report.threads[0].frames
        #expect(frames[1].address?.value == 0x4141_4141_4141_4141 && frames[1].image == nil)
        let notes = made.report.notes.filter { $0.contains("the return address on the stack is 0x4141414141414141") }
        #expect(notes.count == 1, "\(made.report.notes)")
        // `main` is found on the stack, if at all.
        #expect(frames.count < 3 || frames[2].trust == .scan)
    }
}
