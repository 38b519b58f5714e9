import CrashLogModel
import Testing

@testable import TestReports

/// Titles of crashes whose runtime says what is wrong. The messages are those that the runtimes print.
struct HeadlineTests {
    /// The title of a crash in `checkout`, whose callees are given.
    private static func title(
        _ callees: [String], format: String = "elf-core", _ cause: CrashCause, announced: String? = nil
    ) throws -> String {
        try Scene.with(["a.c": ""]) { scene in
            var calls = callees.map { Scene.Call(name: $0, image: "/lib/libc.so.6") }
            calls.append(Scene.Call(name: "checkout", file: scene.root + "/a.c", line: 1))
            var collector = scene.collector()
            if let announced { collector.add(text: announced + "\n") }
            collector.add(Scene.report([calls], format: format) { $0.cause = cause })
            return try #require(collector.finish().first).title
        }
    }

    private static let abort = ["__pthread_kill_implementation", "raise", "abort"]

    @Test func `a message from a core is the title`() throws {
        var cause = CrashCause(kind: .signal, signal: "SIGABRT", message: "uncaught exception shop::EmptyCart: the cart is empty")
        cause.messageSource = "__cxa_get_globals"
        #expect(try Self.title(Self.abort + ["std::terminate()", "__cxa_throw"], cause) == "\(cause.message ?? "") in checkout")
    }

    @Test(arguments: [
        ("Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range", "Index out of range in checkout"),
        ("Shop/Cart.swift:9: Precondition failed: too few items", "Precondition failed: too few items in checkout"),
    ]) func `Swift's message is the title without its line`(message: String, title: String) throws {
        var cause = CrashCause(kind: .signal, signal: "SIGILL", message: message)
        cause.messageSource = "swift_getFatalErrorMessageBuffer"
        #expect(try Self.title(["_assertionFailure(_:_:file:line:flags:)"], cause) == title)
    }

    @Test func `a check of Swift's compiler is the title`() throws {
        let title = try Self.title(["Swift runtime failure: arithmetic overflow"], CrashCause(kind: .signal, signal: "SIGILL"))
        #expect(title == "arithmetic overflow in checkout")
    }

    @Test func `Rust's and Go's messages are the title`() throws {
        let rust = CrashCause(kind: .languageException, type: "panic", message: "attempt to subtract with overflow")
        #expect(
            try Self.title(["core::panicking::panic_fmt"], format: "rust-panic", rust) == "attempt to subtract with overflow in checkout")
        let go = CrashCause(
            kind: .languageException, type: "panic", message: "runtime error: index out of range [3] with length 3\nmore")
        #expect(
            try Self.title(["runtime.goPanicIndex"], format: "go-panic", go)
                == "panic: runtime error: index out of range [3] with length 3 in checkout")
    }

    @Test func `a panic in a core of Rust is named by its function`() throws {
        let callees = Self.abort + ["rust_panic", "core::panicking::panic_const::panic_const_sub_overflow"]
        let title = try Self.title(callees, CrashCause(kind: .signal, signal: "SIGABRT"))
        #expect(title == "attempt to subtract with overflow in checkout")
    }

    @Test func `without a message the signal is the title`() throws {
        #expect(try Self.title(Self.abort, CrashCause(kind: .signal, signal: "SIGABRT")) == "SIGABRT in checkout")
        // A text that a program chose is not a runtime's.
        #expect(
            try Self.title([], format: "gdb-bt", CrashCause(kind: .signal, signal: "SIGSEGV", message: "Segmentation fault"))
                == "SIGSEGV in checkout")
    }
}
