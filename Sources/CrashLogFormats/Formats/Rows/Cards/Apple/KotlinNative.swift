internal import BinaryPrimitives
internal import CrashLogModel

extension StackCards {
    /// Uncaught exceptions, as Kotlin/Native's runtime prints them:
    ///
    ///     Uncaught Kotlin exception: kotlin.IllegalStateException: boom
    ///         at 0   Demo                                0x104a383f8        kfun:harbour#moor(){} + 32
    ///         at 1   Demo                                0x104a38408        kfun:main(){} + 16 (/src/demo.kt:7:30)
    ///     Caused by: kotlin.NullPointerException
    ///
    /// `GetStackTraceStrings` of `StackTrace.cpp` in the runtime (`snprintf_with_addr`) prints the file, the address,
    /// and the distance to the nearest symbol. Older runtimes print the address as `_Unwind_Backtrace` gives it, the
    /// return address; newer ones subtract one before they print it (`adjustAddressForSourceInfo`). Instructions of
    /// arm64 begin at multiples of four, so that the addresses there show which of the two they are: `0x10304ed0f`. On
    /// other processors, one byte before such an address is still inside the call.
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
            let exception = text.from(range.upperBound)
            var cause = CrashCause(kind: .languageException)
            let colon = exception.firstRange(of: ": ")
            cause.type = exception.upTo(colon?.lowerBound ?? exception.count).text
            if let colon { cause.message = exception.from(colon.upperBound).text }
            return .cause(cause)
        },
        finish: { report in
            report.changeStacks { stack in
                let addresses = Set(stack.frames.compactMap { $0.address?.value })
                guard addresses.count > 2, addresses.allSatisfy({ $0 & 3 == 3 }) else { return }
                for index in stack.frames.indices { stack.frames[index].kind = .exact }
            }
        })
}
