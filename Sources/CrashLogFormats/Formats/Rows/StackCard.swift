internal import BinaryPrimitives
internal import CrashLogModel

/// Describes the stacks that one family of programs prints: facts that only the source of the program gives. `StackRow`
/// reads the rows of all families.
///
/// A new family is a new file with a card, a test with a real or made sample, and a line in
/// `StackCards.all`.
package struct StackCard: Sendable {
    /// Kind of the addresses in the rows: return addresses or instructions.
    enum Rule: Sendable {
        /// Every row is a return address, the first included: the stack was captured inside a function, as by
        /// `backtrace(3)`.
        case returnAddresses
        /// The first row of a stack, or the row with number 0, was executing; the others are return addresses.
        case firstIsProgramCounter
        /// The writer has already moved the addresses back into the calls: they are looked up unchanged.
        case movedBack
    }

    /// Origin of the offset in `(module+0x18)`.
    enum Offsets: Sendable {
        /// The offset counts from the load bias: it is the address as linked (`dladdr`, `backtrace_symbols`).
        case linkAddress
        /// The offset counts from the image's first mapped byte.
        case imageStart
        /// The offset counts from the file's first byte: WebAssembly's engines.
        case file

        /// The position that an offset means.
        func location(_ offset: UInt64) -> ImageLocation {
            switch self {
            case .linkAddress: .linkAddress(LinkAddress(offset))
            case .imageStart: .offset(ImageOffset(offset))
            case .file: .fileOffset(offset)
            }
        }
    }

    /// Address space of the rows' addresses.
    enum Addresses: Sendable {
        case inMemory
        /// The address as linked, in the program itself or in the module that the row names.
        case asLinked
        /// The address as linked, in an image that the row does not name.
        case asLinkedAnywhere
    }

    /// A text that marks the beginning of a trace of the family.
    struct Opening: Sendable {
        enum Position: Sendable {
            /// After the prefix and blanks.
            case start
            case anywhere
            /// In a line for which the function returns `true`.
            case inLine(@Sendable (Span<UInt8>) -> Bool)
        }

        var text: String
        var position = Position.start
        /// No other program has such lines.
        var isCertain = false

        static func start(_ text: String) -> Opening { Opening(text: text) }
        static func anywhere(_ text: String) -> Opening { Opening(text: text, position: .anywhere) }
        static func inLine(_ text: String, isCertain: Bool = false, _ isHeading: @escaping @Sendable (Span<UInt8>) -> Bool) -> Opening {
            Opening(text: text, position: .inLine(isHeading), isCertain: isCertain)
        }
    }

    /// The family's name in `cairn formats` and `--log-format`.
    var name: String
    /// One-line description for users: which program writes the log.
    var summary: String
    /// Literal texts that begin such a trace, or that each row has. Long and rare texts are best, because the stream is
    /// searched for them.
    var openings: [Opening]
    /// No other program has such lines.
    var isCertain = false
    var rule = Rule.returnAddresses
    var offsets = Offsets.linkAddress
    var addresses = Addresses.inMemory
    /// The architecture, if the program runs on a single one.
    var architecture: Architecture?
    /// A line that consists of an address only is a row.
    var allowsBareAddresses = false
    /// A single row is a stack if it is below a heading, or if `allowsRowWithoutHeading` allows it.
    var allowsSingleRow = true
    /// A row without a heading is a stack if the card claims it (`claims`, `claimsLine`), or if it has a second field.
    var allowsRowWithoutHeading = true
    /// Maximum number of unrecognized lines between the heading and the rows.
    var maxUnrecognizedLines = 4
    /// Maximum number of unrecognized lines between rows without numbers.
    var maxUnrecognizedLinesInside = 0
    /// The first line below the heading that is not a row is the cause's message.
    var hasMessageBelow = false
    /// How to get the rows, where a heading has none below it: a sentence for the user.
    var missingRowsAdvice: String?
    /// A trace is one stack: a row with the first number below other rows begins the next trace.
    var hasOneStack = false
    /// Only the lines that `readRow` reads are rows.
    var hasOwnRows = false
    /// Texts before the rows, which are skipped.
    var rowPrefixes: [String] = []
    /// Returns whether a row without a heading belongs to the family.
    var claims: (@Sendable (StackRow) -> Bool)?
    /// Like `claims`, by the line's text without blanks at both ends. Only called for lines that have an address.
    var claimsLine: (@Sendable (Span<UInt8>) -> Bool)?
    /// Reads the lines that are not rows; `nil` for unknown lines.
    var read: (@Sendable (Span<UInt8>) -> StackLine?)?
    /// Reads a row that the common fields do not describe. If it returns `nil`, `StackRow` reads the line.
    var readRow: (@Sendable (Span<UInt8>) -> StackRow?)?
    /// Writes a result into a row of the family, instead of appending the text of `addr2line`.
    var writeResult: (@Sendable (_ row: Span<UInt8>, _ result: FrameResult) -> RowResult?)?
    /// Like `writeResult`, for results that need several lines and for rows that begin like those of Darwin.
    var edit: (@Sendable (Frame, FrameResult, Span<UInt8>) -> TextEdit?)?
    /// Changes the finished report: sets where the program loads its images, and drops values that are not addresses.
    var finish: (@Sendable (inout CrashReport) -> Void)?

    /// Whether a line begins a trace of the family.
    /// - Parameter text: the line without blanks at both ends.
    func opening(_ line: Span<UInt8>, _ text: Span<UInt8>) -> Opening? {
        openings.first { opening in
            switch opening.position {
            case .start: text.hasPrefix(opening.text)
            case .anywhere: text.contains(opening.text)
            case .inLine(let isHeading): isHeading(line)
            }
        }
    }
}

/// Content of a line of a trace that is not a row.
enum StackLine: Sendable {
    /// The line belongs to the trace and has nothing that is kept.
    case skipped
    /// The line begins a trace, and has nothing that is kept. Below rows or another heading it belongs to another
    /// trace.
    /// - isAbove: the heading itself follows.
    case heading(isAbove: Bool = false)
    /// The line has a fact about the report.
    case fact(@Sendable (inout CrashReport) -> Void)
    case cause(CrashCause, process: String? = nil)
    /// Another line about the cause, which may be below the rows.
    case note(CrashCause)
    /// The cause, which the family prints below its stack.
    case causeBelow(CrashCause)
    /// The address whose access faulted, if the cause is in another line.
    case faultAddress(UInt64)
    /// The process's memory map follows, and nothing else.
    case mapFollows
    case process(name: String?, pid: Int?)
    /// The build ID of the program, and where it was loaded.
    case program(ImageID?, base: RuntimeAddress? = nil)
    case architecture(Architecture)
    case image(BinaryImage)
    /// The causes of the error follow, innermost last, in indented lines: `Caused by:` of Rust's anyhow and eyre.
    case causesFollow
    /// The rows begin with the next line; no unrecognized lines may come before them.
    case rowsFollow
    /// The row above was inlined into this function.
    case enclosingFunction(Range<Int>)
    /// Source location of the row above.
    case location(SourceLocation)
    /// Registers of the thread whose rows are above or below.
    case registers([(name: String, value: UInt64)])
    /// The rows that follow belong to another thread.
    case thread(number: Int?, name: String?, isCrashed: Bool, cause: CrashCause? = nil, rule: StackCard.Rule? = nil)
    /// The rows that follow are not the stack of a thread: for example, the stack of an allocation.
    case stack(name: String)
    /// The line has several contents.
    case several([StackLine])
    /// The address of the row above, which has no address itself: the program counter in a line of registers.
    case address(UInt64)
    /// The module of the row above.
    case module(String)
    /// The line has several rows, or rows that do not look like those of a stack, such as registers.
    case rows([StackRow])
    /// The stack's rows run from the outermost frame to the innermost.
    case outermostFirst
    /// The trace ends with this line.
    case last
    /// The trace has ended before this line.
    case other
}
