import BinaryPrimitives
import Demangling
import Testing

@testable import Personalities

/// `--output-style=JSON`: the bytes that llvm-symbolizer 19.1.7 writes for a small C program.
struct LLVMSymbolizerJSONTests {
    private func json(_ arguments: [String] = [], _ write: (LLVMSymbolizerJSON, inout PrintedNames, inout OutputText) -> Void) throws
        -> String
    {
        let options = try LLVMSymbolizerOptions(["--output-style=JSON"] + arguments, isAddr2Line: false)
        var names = PrintedNames(Demangler(style: .none), .linkage)
        var output = OutputText()
        write(LLVMSymbolizerJSON(options), &names, &output)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    private func query(_ address: UInt64?, number: Int = -1, symbol: String? = nil, problem: String? = nil, module: String = "m.out")
        -> AddressQuery
    {
        var query = AddressQuery()
        (query.shown, query.number) = (address, number)
        query.echo = QueryEcho(module: module, symbol: symbol, problem: problem)
        return query
    }

    /// `_start`, which no debug information describes, is at 0x1040; the address is 0x1041.
    @Test func `a result is an object with its members in the order of their names`() throws {
        let text = try json { json, names, output in
            let frame = PrintedFrame(name: names.add("_start"), file: nil, line: 0, column: 0, symbolStart: LinkAddress(0x1040))
            json.append([frame], names, for: query(0x1041), to: &output)
        }
        #expect(
            text == #"{"Address":"0x1041","ModuleName":"m.out","Symbol":[{"Column":0,"Discriminator":0,"FileName":"","#
                + #""FunctionName":"_start","Line":0,"StartAddress":"0x1040","StartFileName":"","StartLine":0}]}"# + "\n")
    }

    /// Output of `llvm-symbolizer --output-style=JSON -e m.out 0x0`.
    @Test func `an address that nothing is known of has empty texts`() throws {
        let text = try json { json, names, output in json.append([], names, for: query(0), to: &output) }
        #expect(
            text == #"{"Address":"0x0","ModuleName":"m.out","Symbol":[{"Column":0,"Discriminator":0,"FileName":"","FunctionName":"","#
                + #""Line":0,"StartAddress":"","StartFileName":"","StartLine":0}]}"# + "\n")
    }

    @Test func `a file that cannot be read, and a symbol that is not there`() throws {
        let failure = try json { json, names, output in
            json.append([], names, for: query(0, problem: "No such file or directory", module: "/nonexist"), to: &output)
        }
        #expect(failure == #"{"Address":"0x0","Error":{"Message":"No such file or directory"},"ModuleName":"/nonexist"}"# + "\n")
        let symbol = try json { json, names, output in json.append(symbol: [], names, for: query(nil, symbol: "abc"), to: &output) }
        #expect(symbol == #"{"Loc":[],"ModuleName":"m.out","SymName":"abc"}"# + "\n")
    }

    /// The objects for arguments are elements of one array: a comma precedes all but the first.
    @Test func `the results of arguments are elements`() throws {
        let text = try json { json, names, output in
            for number in 0..<2 { json.append(symbol: [], names, for: query(nil, number: number, symbol: "s\(number)"), to: &output) }
        }
        #expect(text == #"{"Loc":[],"ModuleName":"m.out","SymName":"s0"},{"Loc":[],"ModuleName":"m.out","SymName":"s1"}"#)
    }

    @Test func `pretty results have a line for each member`() throws {
        let text = try json(["--pretty-print"]) { json, names, output in
            json.append([], names, for: query(0x10, number: 0, problem: "no"), to: &output)
        }
        let expected = """

              {
                "Address": "0x10",
                "Error": {
                  "Message": "no"
                },
                "ModuleName": "m.out"
              }
            """
        #expect(text == expected)
    }

    /// RFC 8259, section 7: quotation marks, backslashes and control characters must be escaped.
    /// LLVM writes four hexadecimal digits.
    @Test(arguments: [
        ("a\"b\\c", #"a\"b\\c"#), ("\t\n\r", #"\t\n\r"#), ("\u{1}\u{1f}\u{7f}", "\\u0001\\u001f\u{7f}"), ("größe/", "größe/"),
    ])
    func `texts are escaped`(name: String, escaped: String) throws {
        let text = try json { json, names, output in json.append(symbol: [], names, for: query(nil, symbol: name), to: &output) }
        #expect(text == "{\"Loc\":[],\"ModuleName\":\"m.out\",\"SymName\":\"\(escaped)\"}\n")
    }
}
