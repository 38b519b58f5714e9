internal import BinaryPrimitives
internal import Console

/// The lookup that one line of a personality's input, or one of its arguments, requests.
struct AddressQuestion {
    enum Subject {
        /// The function and line of an address.
        case code
        /// The variable at an address.
        case data
        /// The local variables of the function at an address.
        case frame
        /// The lines of a symbol's addresses.
        case symbol
    }

    var subject = Subject.code
    /// The file's number among the requested ones; `nil` where the input names none that can be
    /// read, or no address.
    var file: Int?
    /// Where to look.
    var address = LinkAddress(0)
    /// The address is the place of a symbol: in a relocatable file, it counts from where the
    /// symbol's section is placed.
    var isPlace = false
    /// The address as it was requested, to be printed; `nil` where the input has none.
    var shown: UInt64?
    /// Which of the arguments it is; -1 on standard input.
    var number = -1
    /// What a reply repeats of the question; `nil` where the tool repeats nothing but the
    /// address.
    var words: QuestionWords?
}

/// The question's words. A class, because nearly all questions have none.
final class QuestionWords: Sendable {
    /// The file as it was named.
    let module: String
    /// Where the place is a symbol's.
    let symbol: String?
    /// The symbol's addresses, one for each that has the name.
    let addresses: [LinkAddress]
    /// Why there is no result.
    let problem: String?

    init(module: String, symbol: String? = nil, addresses: [LinkAddress] = [], problem: String? = nil) {
        self.module = module
        self.symbol = symbol
        self.addresses = addresses
        self.problem = problem
    }
}

/// A tool that resolves addresses: how it reads a question, and how it writes a result.
protocol AddressTool: Sendable {
    var files: OpenedFiles { get set }
    /// Where it reads and writes.
    var context: ToolContext { get }
    /// Bytes that the tool reads as one line at most.
    static var lineLimit: Int { get }
    /// - Parameter line: without its line ending.
    mutating func question(in line: Span<UInt8>) -> AddressQuestion
    /// How the tool ends if nothing goes wrong.
    var status: ExitStatus { get }
    /// How names are printed: a table of its own for each who writes.
    func makeNames() -> PrintedNames
    /// Writes a result.
    /// - Parameters:
    ///   - frames: innermost first; empty where there is no result.
    ///   - names: where the frames' texts are.
    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for question: AddressQuestion, to output: inout OutputText)
    /// Writes the reply to a question that is not about the code at an address.
    func appendOther(_ question: AddressQuestion, _ names: inout PrintedNames, to output: inout OutputText)
    /// Adds to a result's frames what the tool itself knows.
    func complete(_ frames: inout [PrintedFrame], _ names: inout PrintedNames, for question: AddressQuestion)
    /// Reports, beside the result, why the debug information perhaps lacks something.
    func warn(_ note: String)
    /// What surrounds the results of the arguments.
    var listBegin: StaticString { get }
    var listEnd: StaticString { get }
}

extension AddressTool {
    func appendOther(_ question: AddressQuestion, _ names: inout PrintedNames, to output: inout OutputText) {
        append([], names, for: question, to: &output)
    }

    func complete(_ frames: inout [PrintedFrame], _ names: inout PrintedNames, for question: AddressQuestion) {}
    func warn(_ note: String) {}

    var listBegin: StaticString { "" }
    var listEnd: StaticString { "" }
}

extension AddressTool {
    var status: ExitStatus { .done }
}
