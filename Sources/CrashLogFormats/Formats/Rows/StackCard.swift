internal import BinaryPrimitives
internal import CrashLogModel

/// What only the source of a program can say about the stacks that it prints: a page of data for
/// each family of logs. The rows are read by `StackRow`, whoever wrote them.
///
/// A new family is a new file with a card, a test with a real or made sample, and a line in
/// `StackCards.all`.
package struct StackCard: Sendable {
    /// What the addresses of the rows are.
    enum Rule: Sendable {
        /// Every row is where a call returns to, the first included: the stack was taken from
        /// inside of a function, as by `backtrace(3)`.
        case returnAddresses
        /// The first row of a stack, or the row with number 0, was executing; the others are where
        /// calls return to.
        case firstExact
        /// The writer has moved them back: they are looked up as they are.
        case movedBack
    }

    /// What the offset of `(module+0x18)` counts from.
    enum Offsets: Sendable {
        /// The load bias: it is the address as linked (`dladdr`, `backtrace_symbols`).
        case linkAddress
        /// The image's first mapped byte.
        case imageStart
    }

    /// What a row's address is, where it is no address in memory.
    enum Addresses: Sendable {
        case inMemory
        /// The address as linked, in the program itself or in the module that the row names.
        case asLinked
        /// The address as linked, in an image that the row does not name.
        case asLinkedAnywhere
    }

    /// A line that begins such a trace.
    struct Opening: Sendable {
        enum Position: Sendable {
            /// After the prefix and blanks.
            case start
            case anywhere
            /// Anywhere in a line that is what the family begins with.
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
    /// One line for people: which program writes it.
    var summary: String
    /// Literal texts that begin such a trace, or that each row has. The longer and rarer, the
    /// better. The stream searches for them.
    var openings: [Opening]
    /// No other program has such lines.
    var isCertain = false
    var rule = Rule.returnAddresses
    var offsets = Offsets.linkAddress
    var addresses = Addresses.inMemory
    /// The only processor that the program runs on.
    var architecture: Architecture?
    /// A line with nothing but an address is a row.
    var takesBareAddresses = false
    /// A single row below its heading is a stack, or one that says in two ways where it is.
    var takesOneRow = true
    /// The latter.
    var takesRowWithoutHeading = true
    /// How many lines that mean nothing may be between the heading and the rows.
    var maxUnrecognizedLines = 4
    /// The same between rows that have no numbers.
    var maxUnrecognizedLinesInside = 0
    /// The first line below the heading that is no row is the cause's message.
    var hasMessageBelow = false
    /// A trace is one stack: a row with its first number below others is of the next trace.
    var hasOneStack = false
    /// No other lines are rows than those that `readRow` reads.
    var hasOwnRows = false
    /// Rows begin with this text, which is left out.
    var rowPrefixes: [String] = []
    /// Whether a row without a heading is of the family.
    var claims: (@Sendable (StackRow) -> Bool)?
    /// The same by the line's text, without blanks at both ends. Lines are shown to it that have an
    /// address.
    var claimsLine: (@Sendable (Span<UInt8>) -> Bool)?
    /// Reads the lines that are no rows. `nil` for lines that it does not know.
    var read: (@Sendable (Span<UInt8>) -> StackLine?)?
    /// Reads a row that the common fields do not describe; else `nil`, and it is read as all rows
    /// are.
    var readRow: (@Sendable (Span<UInt8>) -> StackRow?)?
    /// What the family's rows become, where they have not `addr2line`'s words after them.
    var answer: (@Sendable (_ row: Span<UInt8>, _ answer: FrameAnswer) -> RowAnswer?)?
    /// The same, where a result takes several lines, or rows begin like those of Darwin.
    var edit: (@Sendable (Frame, FrameAnswer, Span<UInt8>) -> TextEdit?)?
    /// Has the last word on the report: where the program loads its images, which address is no
    /// address.
    var finish: (@Sendable (inout CrashReport) -> Void)?

    /// Whether a line begins a trace of the family.
    /// - Parameter text: the same without blanks at both ends.
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

/// What a line of a trace says that is no row.
enum StackLine: Sendable {
    /// It belongs to the trace and says nothing that is kept.
    case skipped
    /// The same, of a line that begins a trace: below rows or another such line it is another's.
    /// - isAbove: the heading itself follows.
    case heading(isAbove: Bool = false)
    /// It says something that is no row's.
    case fact(@Sendable (inout CrashReport) -> Void)
    case cause(CrashCause, process: String? = nil)
    /// Another line about the cause, which may be below the rows.
    case note(CrashCause)
    /// The cause, which the family prints below its stack.
    case causeBelow(CrashCause)
    /// The address whose access faulted, where the cause is in another line.
    case faultAddress(UInt64)
    /// The process's memory map follows, and nothing else.
    case mapFollows
    case process(name: String?, pid: Int?)
    /// The build ID of the program, and where it was loaded.
    case program(ImageID?, base: RuntimeAddress? = nil)
    case architecture(Architecture)
    case image(BinaryImage)
    /// The rows begin with the next line, whatever may come below the heading.
    case rowsFollow
    /// The row above was inlined into this function.
    case holder(Range<Int>)
    /// Where the code of the row above is in the source.
    case location(SourceLocation)
    /// Of the thread whose rows are above or below.
    case registers([(name: String, value: UInt64)])
    /// The rows that follow are of another thread.
    case thread(number: Int?, name: String?, isCrashed: Bool, cause: CrashCause? = nil, rule: StackCard.Rule? = nil)
    /// The rows that follow are no thread's stack: where memory was allocated, what another thread
    /// did.
    case stack(name: String)
    /// The line says several things.
    case several([StackLine])
    /// The address of the row above, which has none: its program counter in a line of registers.
    case address(UInt64)
    /// The file that the row above is in.
    case module(String)
    /// The line holds rows: several, or some that are no stack's row by their look, as registers.
    case rows([StackRow])
    /// The stack's rows run from the outermost frame to the innermost.
    case outermostFirst
    /// The trace ends with this line.
    case last
    /// The trace has ended before this line.
    case other
}
