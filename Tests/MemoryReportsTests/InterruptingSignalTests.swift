import BinaryPrimitives
import CrashLogFormats
import CrashLogModel
import Testing

/// Programs whose handler of a signal ends them with a signal. The cause is what `sigaction(2)` says of the first: a read
/// of address 8, which is mapped nowhere, and a division by zero.
@Suite(.enabled(if: MadeCrash.isPossible, "gcc is missing, or the kernel writes no core files into the working directory"))
struct InterruptingSignalTests {
    private static let source = """
        #include <signal.h>
        #include <stdlib.h>
        #include <string.h>
        static const char *how;
        static void handler(int number) {
            signal(number, SIG_DFL);
            if (strstr(how, "abort")) abort();
            raise(number);
        }
        __attribute__((noinline)) static int load(int *pointer) { return *pointer + 1; }
        __attribute__((noinline)) static int divide(int a, int b) { return a / b; }
        __attribute__((noinline)) static int fail(int n) { if (n) abort(); return n; }
        __attribute__((noinline)) static int deepen(int n) { volatile char room[128]; room[0] = n; return deepen(n + 1) + room[0]; }
        static void install(int number) {
            struct sigaction action = {.sa_handler = handler};
            if (!strcmp(how, "nodefer")) action.sa_flags = SA_NODEFER;
            if (!strcmp(how, "siginfo")) action.sa_flags = SA_NODEFER | SA_SIGINFO;
            if (!strncmp(how, "stack", 5)) {
                stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
                sigaltstack(&other, 0);
                action.sa_flags = SA_ONSTACK;
            }
            sigaction(number, &action, 0);
        }
        int main(int count, char **arguments) {
            how = arguments[2];
            install(SIGSEGV);
            install(SIGFPE);
            install(SIGABRT);
            if (!strcmp(arguments[1], "load")) return load((int *)8) + 1;
            if (!strcmp(arguments[1], "divide")) return divide(1, count - 3) + 1;
            if (!strcmp(arguments[1], "deepen")) return deepen(count) + 1;
            return fail(count) + 1;
        }
        """

    /// With `raise` and `stack` the signal is blocked until the handler has returned; then no handler is on the stack.
    @Test(arguments: ["raise", "stack", "nodefer", "siginfo", "abort"])
    func `below a handler that raises a signal the first one is the cause`(how: String) throws {
        let made = try MadeCrash(Self.source, "a.c", ["gcc", "-g", "-O1"], arguments: ["load", how])
        #expect(made.report.cause?.signal == "SIGSEGV" && made.report.cause?.signalCode == "SEGV_MAPERR")
        #expect(made.report.cause?.address?.value == 8)
        let index = made.report.threads[0].interruptedIndex
        #expect(Array(made.functions[index...].prefix(2)) == ["load", "main"])
        #expect(made.functions[..<index].contains("handler") == !["raise", "stack"].contains(how))
    }

    /// As Rust's runtime ends them: its handler runs on a stack of its own, and calls `abort`.
    @Test func `a stack overflow is one below a handler`() throws {
        let made = try MadeCrash(Self.source, "a.c", ["gcc", "-g", "-O1"], arguments: ["deepen", "stackabort"])
        #expect(made.report.cause?.signal == "SIGSEGV")
        #expect(made.functions[made.report.threads[0].interruptedIndex] == "deepen")
        #expect(made.report.meaning?.contains("a stack overflow") == true)
    }

    @Test(arguments: ["raise", "nodefer", "siginfo"]) func `a division by zero is one below a handler`(how: String) throws {
        let made = try MadeCrash(Self.source, "a.c", ["gcc", "-g", "-O1"], arguments: ["divide", how])
        #expect(made.report.cause?.signal == "SIGFPE" && made.report.cause?.signalCode == "FPE_INTDIV")
        let index = made.report.threads[0].interruptedIndex
        #expect(Array(made.functions[index...].prefix(2)) == ["divide", "main"])
    }

    @Test(arguments: ["raise", "nodefer"]) func `a call of abort stays the cause where a handler raises it again`(how: String) throws {
        let made = try MadeCrash(Self.source, "a.c", ["gcc", "-g", "-O1"], arguments: ["fail", how])
        #expect(made.report.cause?.signal == "SIGABRT" && made.report.cause?.signalCode == "SI_TKILL")
        let functions = made.functions[made.report.threads[0].interruptedIndex...]
        #expect(functions.contains("fail") && !functions.contains("handler"))
    }
}
