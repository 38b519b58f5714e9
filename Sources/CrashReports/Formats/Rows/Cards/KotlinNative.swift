internal import BinaryPrimitives

extension StackCards {
    /// What Kotlin/Native's runtime prints of an exception that nobody caught:
    ///
    ///     Uncaught Kotlin exception: kotlin.IllegalStateException: boom
    ///         at 0   Demo                                0x104a383f8        kfun:harbour#moor(){} + 32
    ///         at 1   Demo                                0x104a38408        kfun:main(){} + 16 (/src/demo.kt:7:30)
    ///     Caused by: kotlin.NullPointerException
    ///
    /// `kotlin-native/runtime/src/main/cpp/ExecFormat/StackTrace.cpp` (`snprintf_with_addr`) prints the file, the address of the stack as `_Unwind_Backtrace` gave it, which is where the call returns to,
    /// and the distance to the nearest symbol.
    static let kotlinNative = StackCard(
        name: "kotlin-native",
        summary: "Kotlin/Native: uncaught exceptions",
        openings: [.anywhere("Uncaught Kotlin exception: ")],
        rule: .returnAddresses,
        offsets: .imageStart,
        read: { line in
            let text = line.trimmed()
            if text.hasPrefix("Caused by: ") { return .thread(number: nil, name: text.text, isCrashed: false) }
            guard let range = text.firstRange(of: "Uncaught Kotlin exception: ") else { return nil }
            let words = text.from(range.upperBound)
            var cause = CrashCause(kind: .languageException)
            let colon = words.firstRange(of: ": ")
            cause.type = words.upTo(colon?.lowerBound ?? words.count).text
            if let colon { cause.message = words.from(colon.upperBound).text }
            return .cause(cause)
        })
}
