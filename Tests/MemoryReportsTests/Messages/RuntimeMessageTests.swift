import CrashLogModel
import TestSupport
import Testing

/// Messages that runtimes keep in memory about a crash, in programs that are compiled here. The expected texts are those that
/// the programs print on standard error.
@Suite(.enabled(if: MadeCrash.isPossible, "gcc is missing, or the kernel writes no core files into the working directory"))
struct RuntimeMessageTests {
    private static let c = """
        #include <assert.h>
        #include <stdlib.h>
        #include <string.h>
        __attribute__((noinline)) static void smash(int n) { char room[8]; memset(room, 'A', n); __asm__ volatile("" ::"r"(room) : "memory"); }
        int main(int count, char **arguments) {
            char *volatile memory = malloc(16);
            if (!strcmp(arguments[1], "assert")) assert(count == 1 && "two words");
            if (!strcmp(arguments[1], "free")) { free(memory); free(memory); }
            if (!strcmp(arguments[1], "smash")) smash(64);
            abort();
        }
        """

    @Test(arguments: ["assert", "free", "smash"], [[], ["-static"]])
    func `glibc's last message is the cause of an abort`(crash: String, options: [String]) throws {
        let made = try MadeCrash(
            Self.c, "a.c", ["gcc", "-w", "-g", "-fstack-protector-all"] + options, arguments: [crash],
            environment: ["LIBC_FATAL_STDERR_": "1"])
        let printed = try #require(made.standardError.first)
        #expect(made.report.cause?.message == printed)
        #expect(made.report.cause?.messageSource == "__abort_msg")
        #expect(made.report.notes.contains("Message (from __abort_msg): " + printed))
    }

    @Test func `a program that aborts without a message has none`() throws {
        let made = try MadeCrash(Self.c, "a.c", ["gcc", "-w", "-g"], arguments: ["nothing"])
        #expect(made.report.cause?.signal == "SIGABRT")
        #expect(made.report.cause?.message == nil && made.report.cause?.messageSource == nil)
    }

    private static let cPlusPlus = """
        #include <cstring>
        #include <stdexcept>
        #include <string>
        #include <system_error>
        #include <thread>
        namespace shop {
        struct EmptyCart : std::runtime_error { using std::runtime_error::runtime_error; };
        struct Plain { int number = 7; };
        struct Base { virtual ~Base() = default; };
        struct Both : Base, std::logic_error { Both() : std::logic_error("both of them") {} };
        }
        static void thrower(const char *name) {
            if (!strcmp(name, "runtime")) throw std::runtime_error("thrown \\"here\\"");
            if (!strcmp(name, "own")) throw shop::EmptyCart("the cart is empty");
            if (!strcmp(name, "both")) throw shop::Both();
            if (!strcmp(name, "system")) throw std::system_error(2, std::generic_category(), "opening");
            if (!strcmp(name, "at")) std::string("abc").at(7);
            if (!strcmp(name, "plain")) throw shop::Plain();
            if (!strcmp(name, "text")) throw "a text";
            if (!strcmp(name, "string")) throw std::string("a string of more than fifteen bytes");
            if (!strcmp(name, "number")) throw -42;
            if (!strcmp(name, "again")) {
                std::exception_ptr kept;
                try { throw shop::EmptyCart("again"); } catch (...) { kept = std::current_exception(); }
                std::rethrow_exception(kept);
            }
            if (!strcmp(name, "thread")) { std::thread thread([] { throw shop::EmptyCart("in a thread"); }); thread.join(); }
            if (!strcmp(name, "handled")) { try { throw shop::EmptyCart("handled"); } catch (...) { std::abort(); } }
        }
        static void promised(const char *name) noexcept { thrower(name); }
        int main(int count, char **arguments) { count > 2 ? promised(arguments[1]) : thrower(arguments[1]); }
        """

    /// libstdc++ prints the type, and `what()` of those that have one.
    @Test(
        arguments: ["runtime", "own", "both", "system", "at", "plain", "again", "thread"],
        [["g++", "-pthread"], ["g++", "-pthread", "-static"], ["g++", "-no-pie", "-fno-pie", "-pthread"]])
    func `an uncaught exception has its type and its text`(name: String, compiler: [String]) throws {
        let made = try MadeCrash(Self.cPlusPlus, "a.cpp", compiler, arguments: [name])
        let first = try #require(made.standardError.first { $0.hasPrefix("terminate called after throwing an instance of '") })
        let type = first.dropFirst("terminate called after throwing an instance of '".count).dropLast()
        let what = made.standardError.first { $0.hasPrefix("  what():  ") }.map { ": " + $0.dropFirst("  what():  ".count) } ?? ""
        #expect(made.report.cause?.message == "uncaught exception \(type)\(what)")
        #expect(made.report.cause?.messageSource == "__cxa_get_globals")
    }

    /// The values that the source throws.
    @Test(arguments: [
        ("text", "uncaught exception char const*: a text"), ("number", "uncaught exception int: -42"),
        (
            "string",
            "uncaught exception std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>: a string of more than fifteen bytes"
        ),
    ]) func `texts and numbers that are thrown are shown`(name: String, message: String) throws {
        let made = try MadeCrash(Self.cPlusPlus, "a.cpp", ["g++", "-pthread"], arguments: [name])
        #expect(made.report.cause?.message == message)
    }

    @Test func `an exception that leaves a noexcept function is shown`() throws {
        let made = try MadeCrash(Self.cPlusPlus, "a.cpp", ["g++", "-pthread"], arguments: ["own", "noexcept"])
        #expect(made.report.cause?.message == "uncaught exception shop::EmptyCart: the cart is empty")
    }

    @Test func `an exception that was caught is not the cause`() throws {
        let made = try MadeCrash(Self.cPlusPlus, "a.cpp", ["g++", "-pthread"], arguments: ["handled"])
        #expect(made.report.cause?.signal == "SIGABRT" && made.report.cause?.message == nil)
    }

    private static let swift = """
        struct Cart { var items = [1]; func third() -> Int { items[2] } }
        @main struct Main {
            static func main() {
                switch CommandLine.arguments[1] {
                case "index": print(Cart().third())
                case "fatal": fatalError("no cart for \\(CommandLine.arguments.count)")
                case "nil": print(Int(CommandLine.arguments[1])!)
                default: break
                }
            }
        }
        """

    /// The runtime prints the message as the first line.
    @Test(.enabled(if: Toolchain.has("swiftc"), "swiftc is missing"), arguments: ["index", "fatal", "nil"])
    func `the message of Swift's runtime is the cause of a trap`(crash: String) throws {
        let made = try MadeCrash(
            Self.swift, "a.swift", [try #require(Toolchain.path("swiftc")), "-parse-as-library", "-Onone", "-g"], arguments: [crash],
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        let printed = try #require(made.standardError.first { $0.contains("Fatal error: ") })
        #expect(made.report.cause?.message == printed)
        #expect(made.report.cause?.messageSource == "swift_getFatalErrorMessageBuffer")
    }
}
