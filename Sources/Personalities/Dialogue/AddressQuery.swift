internal import BinaryPrimitives
internal import Console

/// The lookup that one line of a personality's input, or one of its arguments, requests.
struct AddressQuery {
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
    /// The file's number among the requested ones; `nil` if the input names no readable file, or no address.
    var file: Int?
    /// Address to look up.
    var address = LinkAddress(0)
    /// The address is a symbol's: in a relocatable file, it counts from the address where the symbol's
    /// section is placed.
    var isSymbolAddress = false
    /// The address as it was requested, to be printed; `nil` if the input has none.
    var shown: UInt64?
    /// Index of the argument; -1 on standard input.
    var number = -1
    /// Parts of the question that a reply repeats; `nil` if the tool repeats only the address.
    var echo: QueryEcho?
}

/// Parts of a question that its reply repeats. A class, because nearly all questions have none.
final class QueryEcho: Sendable {
    /// The file as it was named.
    let module: String
    /// The symbol's name, if the question names one.
    let symbol: String?
    /// Addresses of the symbols with this name.
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
    /// Streams and environment that the tool uses.
    var context: ToolContext { get }
    /// Maximum number of bytes that the tool reads as one line.
    static var lineLimit: Int { get }
    /// - Parameter line: without its line ending.
    mutating func query(in line: Span<UInt8>) -> AddressQuery
    /// Exit status if there is no error.
    var status: ExitStatus { get }
    /// Returns a new table of printed names; each writer has its own.
    func makeNames() -> PrintedNames
    /// Writes a result.
    /// - Parameters:
    ///   - frames: innermost first; empty if there is no result.
    ///   - names: holds the frames' texts.
    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for query: AddressQuery, to output: inout OutputText)
    /// Writes the reply to a question that is not about the code at an address.
    func appendOther(_ query: AddressQuery, _ names: inout PrintedNames, to output: inout OutputText)
    /// Adds to a result's frames the details that only this tool knows.
    func complete(_ frames: inout [PrintedFrame], _ names: inout PrintedNames, for query: AddressQuery)
    /// Reports, in addition to the result, why the debug information may be incomplete.
    func warn(_ note: String)
    /// Text before and after the results of the arguments.
    var listBegin: StaticString { get }
    var listEnd: StaticString { get }
}

extension AddressTool {
    func appendOther(_ query: AddressQuery, _ names: inout PrintedNames, to output: inout OutputText) {
        append([], names, for: query, to: &output)
    }

    func complete(_ frames: inout [PrintedFrame], _ names: inout PrintedNames, for query: AddressQuery) {}
    func warn(_ note: String) {}

    var listBegin: StaticString { "" }
    var listEnd: StaticString { "" }
}

extension AddressTool {
    var status: ExitStatus { .done }
}
