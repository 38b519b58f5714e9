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

    /// The program prints the texts itself. A static program has no __cxa_pure_virtual.
    @Test(arguments: [
        ("pure", "pure virtual method called", []), ("joinable", "terminate called without an active exception", []),
        ("joinable", "terminate called without an active exception", ["-static"]),
    ])
    func `an end without an exception is shown`(crash: String, message: String, options: [String]) throws {
        let source = """
            #include <thread>
            #include <unistd.h>
            struct Base { Base() { call(); } void call() { run(); } virtual void run() = 0; };
            struct Derived : Base { void run() override {} };
            int main(int count, char **arguments) {
                if (arguments[1][0] == 'p') Derived made;
                std::thread thread([] { pause(); });
            }
            """
        let made = try MadeCrash(source, "a.cpp", ["g++", "-w", "-g", "-pthread"] + options, arguments: [crash])
        #expect(made.standardError.first == message)
        #expect(made.report.cause?.message == message)
    }

    private static let rust = """
        fn pick(values: &[i32], index: usize) -> i32 { values[index] }
        fn main() {
            let mode = std::env::args().nth(1).unwrap();
            match mode.as_str() {
                "index" => println!("{}", pick(&[1, 2, 3], mode.len() + 2)),
                "unwrap" => println!("{}", "x1".parse::<i32>().unwrap()),
                "none" => println!("{}", mode.parse::<i32>().ok().unwrap()),
                "formatted" => panic!("cart {} of {1:>4} has no items in {2:?} {0}", mode, mode.len(), [0.5]),
                "only" => panic!("{}", mode),
                "equal" => assert_eq!(mode.len(), 3, "lengths differ for {}", mode),
                "fixed" => panic!("a fixed text"),
                "long" => panic!("{} {}", "x".repeat(200), "a fixed part of more than 127 bytes, which needs two bytes for its length: \
                    one two three four five six seven eight nine ten eleven twelve thirteen"),
                _ => {}
            }
        }
        """

    /// The program prints the message below the line with the location.
    @Test(
        .enabled(if: Installed.has("rustc"), "rustc is missing"),
        arguments: ["index", "unwrap", "none", "formatted", "only", "equal", "fixed", "long"],
        [["-g", "--edition=2021"], ["-O", "--edition=2015"]])
    func `the message of a Rust panic is the cause of the abort`(crash: String, options: [String]) throws {
        let made = try MadeCrash(
            Self.rust, "a.rs", [try #require(Installed.path("rustc")), "-Cpanic=abort"] + options, arguments: [crash],
            environment: ["RUST_BACKTRACE": "0"])
        let start = try #require(made.standardError.firstIndex { $0.contains("panicked at") })
        let printed = made.standardError[(start + 1)...].prefix { !$0.hasPrefix("note: ") }.joined(separator: "\n")
        #expect(made.report.cause?.message == printed)
        #expect(made.report.cause?.messageSource == (crash == "fixed" && options.contains("--edition=2015") ? "begin_panic" : "PanicInfo"))
    }

    private static let go = """
        package main
        import ("errors"; "fmt"; "os")
        type cartError struct{ code int }
        func (e *cartError) Error() string { return fmt.Sprint("cart error ", e.code) }
        type kind string
        type code int8
        type pair struct{ a, b int }
        func pick(values []int, index int) int { return values[index] }
        func main() {
            mode := os.Args[1]
            defer func() { if mode == "second" { panic(mode) } }()
            switch mode {
            case "string": panic("cart " + mode)
            case "error": panic(errors.New("no such cart"))
            case "own": panic(&cartError{3})
            case "kind": panic(kind("of its own"))
            case "code": panic(code(-3))
            case "number": panic(42)
            case "bool": panic(true)
            case "float": panic(-1234.56789)
            case "small": panic(float32(0.015625))
            case "zero": panic(0.0)
            case "index": pick([]int{1, 2}, len(mode)+2)
            case "map": var carts map[string]int; carts["a"] = 1
            case "nil": var none *pair; fmt.Println(none.a)
            case "second": panic("first")
            }
        }
        """

    /// The runtime prints the oldest panic first; the newest is the one that the stack is of.
    @Test(
        .enabled(if: Installed.has("go"), "go is missing"),
        arguments: ["string", "error", "own", "kind", "code", "number", "bool", "float", "small", "zero", "index", "map", "nil", "second"])
    func `the value of a Go panic is the cause of the abort`(crash: String) throws {
        let made = try MadeCrash(
            Self.go, "a.go", ["sh", "-c", "go build -o prog a.go"], arguments: [crash], environment: ["GOTRACEBACK": "crash"])
        let printed = try #require(made.standardError.last { $0.hasPrefix("panic: ") || $0.hasPrefix("\tpanic: ") })
        #expect(made.report.cause?.message == String(printed.trimmingPrefix("\t")))
        #expect(made.report.cause?.messageSource == "runtime._panic")
    }

    /// Without symbols no type has a name.
    @Test(.enabled(if: Installed.has("go"), "go is missing"), arguments: ["string", "error", "index", "nil"])
    func `the text of a stripped program's Go panic is shown`(crash: String) throws {
        let made = try MadeCrash(
            Self.go, "a.go", ["sh", "-c", "go build -ldflags '-s -w' -o prog a.go"], arguments: [crash],
            environment: ["GOTRACEBACK": "crash"])
        #expect(made.report.cause?.message == made.standardError.first { $0.hasPrefix("panic: ") })
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
