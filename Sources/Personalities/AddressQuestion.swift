internal import BinaryPrimitives

/// What one line of a personality's input, or one of its arguments, asks.
struct AddressQuestion {
    enum Subject {
        /// The function and line of an address.
        case code
        /// The variable at an address.
        case data
        /// The local variables of the function at an address.
        case frame
    }

    var subject = Subject.code
    /// The file's number among those that were asked for; `nil` where the input names none that can be read, or no address.
    var file: Int?
    /// Where to look.
    var address = LinkAddress(0)
    /// The address as it was asked for, to be printed; `nil` where the input has none.
    var shown: UInt64?
}

/// A tool that answers addresses: how it reads a question, and how it writes an answer.
protocol AddressTool: Sendable {
    var files: AskedFiles { get set }
    /// Bytes that the tool reads as one line at most.
    static var lineLimit: Int { get }
    /// - Parameter line: without its line ending.
    mutating func question(in line: Span<UInt8>) -> AddressQuestion
    /// How the tool ends if nothing goes wrong.
    var status: ExitStatus { get }
    /// How names are printed.
    var names: PrintedNames { get }
    /// Writes an answer.
    /// - Parameters:
    ///   - frames: innermost first; empty where there is no answer.
    ///   - names: where the frames' texts stand.
    func append(_ frames: [PrintedFrame], _ names: borrowing PrintedNames, for question: AddressQuestion, to output: inout OutputText)
}

extension AddressTool {
    var status: ExitStatus { .done }
}
