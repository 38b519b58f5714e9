internal import BinaryPrimitives
package import CrashLogModel

/// How a program words the signal that it caught: a row of `CauseWordings`.
package struct CauseWording: Sendable {
    /// How the signal is named after `mark`.
    package enum Signal: Sendable {
        /// `11`
        case number
        /// `SIGSEGV`
        case name
        /// `Segmentation fault`
        case words
        /// Not at all: the line adds to one before it.
        case none
    }
    package enum Place: Sendable {
        /// Only a prefix of the logger in brackets, or blanks, may come before `mark`.
        case start
        case anywhere
    }

    /// Occurs in every such line.
    package var mark: String
    package var place: Place
    package var signal: Signal
    /// Follows the signal at once.
    package var end: String
    /// Comes before the address of a bad access, where the line has one.
    package var address: String?
    /// Nothing follows it.
    package var isWhole: Bool
    /// The program and its file.
    package var source: String

    package init(
        _ mark: String, _ place: Place, _ signal: Signal, end: String = "", address: String? = nil, isWhole: Bool = false, source: String
    ) {
        self.mark = mark
        self.place = place
        self.signal = signal
        self.end = end
        self.address = address
        self.isWhole = isWhole
        self.source = source
    }

    /// - Returns: what a line says by this row.
    package func cause(in line: Span<UInt8>) -> CrashCause? {
        guard let found = mark.isEmpty ? 0..<0 : line.firstRange(of: mark) else { return nil }
        guard place == .anywhere || CauseWording.isPrefix(line.upTo(found.lowerBound)) else { return nil }
        var rest = line.from(found.upperBound)
        var cause = CrashCause(kind: .signal)
        guard takeSignal(&rest, &cause) else { return nil }
        let tail = rest
        guard rest.take(end), !isWhole || rest.trimmed().count == 0 else { return nil }
        // Of other signals it is who sent them: of abort() the process's own number.
        let isAccess = signal == .none || cause.signal == "SIGSEGV" || cause.signal == "SIGBUS"
        if isAccess, let address, let at = address.isEmpty ? 0..<0 : rest.firstRange(of: address) {
            var digits = rest.from(at.upperBound)
            cause.address = CauseWording.address(&digits).map { RuntimeAddress($0) }
        }
        CauseWording.takeCode(tail, &cause)
        guard cause.type != nil || cause.address != nil || cause.codes != nil else { return nil }
        return cause
    }

    private func takeSignal(_ rest: inout Span<UInt8>, _ cause: inout CrashCause) -> Bool {
        switch signal {
        case .none: return true
        case .number:
            guard let number = rest.takeDecimal(), (1...64).contains(number) else { return false }
            cause.signal = SignalName.posix(number) ?? "\(number)"
        case .name:
            guard rest.hasPrefix("SIG") else { return false }
            let length = (0..<rest.count).first { !(rest[$0] >= UInt8(ascii: "A") && rest[$0] <= UInt8(ascii: "Z")) } ?? rest.count
            guard length > 3 else { return false }
            cause.signal = rest.upTo(length).text
            rest = rest.from(length)
        case .words:
            guard let (words, name) = SignalName.words.first(where: { rest.hasPrefix($0.key) }) else { return false }
            cause.signal = name
            _ = rest.take(words)
            // `Segmentation fault: 11` of Darwin's `strsignal(3)`.
            var numbered = rest
            if numbered.take(": "), numbered.takeDecimal() != nil { rest = numbered }
        }
        cause.type = cause.signal.map { $0.hasPrefix("SIG") ? $0 : "signal \($0)" }
        return true
    }

    /// `0x18`, `(nil)` of glibc's `%p`, or bare digits.
    private static func address(_ text: inout Span<UInt8>) -> UInt64? {
        if text.take("(nil)") { return 0 }
        if let value = text.takeAddress() { return value }
        guard let value = text.takeHexadecimal(), text.at(0).map({ isBlank($0) || $0 == UInt8(ascii: ",") }) ?? true else { return nil }
        return value
    }

    /// `code 1 (SEGV_MAPERR)` of Android, `Signal code: Address not mapped (1)` of Open MPI,
    /// `address not mapped to object` of `psignal(3)`.
    private static func takeCode(_ text: Span<UInt8>, _ cause: inout CrashCause) {
        if let open = text.firstRange(of: " (SEGV_") ?? text.firstRange(of: " (BUS_"),
            let close = text.firstIndex(of: UInt8(ascii: ")"), from: open.upperBound)
        {
            cause.codes = text.clamped(to: open.lowerBound + 2..<close).text
            return
        }
        let words = text.upTo(Swift.min(text.count, 512))
        for (phrase, name) in codes where words.contains(phrase) {
            cause.codes = name
            return
        }
    }

    /// glibc's words for codes (`string/psiginfo-data.h`), with and without capitals, and Open
    /// MPI's (`opal/util/stacktrace.c`).
    private static let codes = [
        ("ddress not mapped", "SEGV_MAPERR"), ("nvalid permissions", "SEGV_ACCERR"), ("nvalid address alignment", "BUS_ADRALN"),
        ("on-existant physical address", "BUS_ADRERR"), ("onexistant physical address", "BUS_ADRERR"),
        ("nteger divide by zero", "FPE_INTDIV"), ("nteger divide-by-zero", "FPE_INTDIV"),
    ]

    /// Blanks, or what loggers put in front: `[node7:4242] `,
    /// `2018.05.10 14:48:11.468212 [ 4085 ] <Error> BaseDaemon: `.
    private static func isPrefix(_ text: Span<UInt8>) -> Bool {
        let head = text.trimmed()
        return head.count == 0 || head.hasSuffix("]") || head.hasSuffix(":") || head.hasSuffix(">") || head.hasSuffix("#")
            || head.hasSuffix("|")
    }
}
