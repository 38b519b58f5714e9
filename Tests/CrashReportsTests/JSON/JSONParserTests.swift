import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

/// RFC 8259, the forms that are tolerated beyond it, and the position of every value.
struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONParser().parse(Array(text.utf8).span) }
    private func text(_ value: JSONValue?, in document: String) -> String? {
        value.map { String(decoding: Array(document.utf8)[$0.range], as: UTF8.self) }
    }

    @Test func `values keep their bytes`() throws {
        let document = #" { "a" : [1, -2, 18446744073709551615, 2.5e3], "b":{"c":null,"d":true} , "e":"x\/y" } "#
        let root = try parse(document)
        #expect(text(root["a"], in: document) == "[1, -2, 18446744073709551615, 2.5e3]")
        #expect(root["a"]?.elements.map { text($0, in: document) } == ["1", "-2", "18446744073709551615", "2.5e3"])
        #expect(root["a"]?.elements.map(\.unsigned) == [1, nil, .max, nil])
        #expect(text(root["b"]?["d"], in: document) == "true")
        #expect(root["b"]?["d"]?.isTrue == true)
        #expect(text(root["e"], in: document) == #""x\/y""#)
        #expect(root["e"]?.string == "x/y")
        #expect(root.member("b").map { String(decoding: Array(document.utf8)[$0.keyRange], as: UTF8.self) } == #""b""#)
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u20AC""#, "é€"),
        // U+1F4A3 is D83D DCA3 in UTF-16.
        (#""\ud83d\udca3""#, "💣"), (#""\ud83d""#, "\u{FFFD}"), ("\"a\nb\"", "a b"), ("\"a\r\nb\"", "a b"),
        // With an escape, it may be a text of several lines.
        ("\"a\\t\nb\"", "a\t\nb"),
    ])
    func `strings and their escapes`(document: String, expected: String) throws { #expect(try parse(document).string == expected) }

    /// Keys are compared without decoding; those with escapes are read first.
    @Test func `members are found by their keys, the first of two`() throws {
        let root = try parse(#"{"":0,"a":1,"ab":2,"\u0061b":3,"\"":4,"a":5,"n":{"a":6}}"#)
        #expect(root[""]?.int == 0 && root["a"]?.int == 1 && root["ab"]?.int == 2 && root["\""]?.int == 4)
        #expect(root["n"]?["a"]?.int == 6)
        #expect(root["b"] == nil && root["A"] == nil)
        #expect(root.members.map(\.key) == ["", "a", "ab", "ab", "\"", "a", "n"])
    }

    @Test(arguments: [
        ("0x1f", 0x1f), ("0X1f", 0x1f), ("0xffffffffffffffff", UInt64.max), ("0x1ffffffffffffffff", nil), ("12", 12),
        ("18446744073709551615", UInt64.max),
        ("18446744073709551616", nil), ("0x", nil), ("", nil), ("-1", nil), ("0xg", nil), ("999999999999999999", 999_999_999_999_999_999),
    ])
    func `addresses and sizes that are strings`(text: String, value: UInt64?) throws { #expect(try parse("\"\(text)\"").unsigned == value) }

    @Test func `a comma before a closing bracket and bare words are tolerated`() throws {
        #expect(try parse("[1,2,]").elements.count == 2)
        #expect(try parse(#"{"a":1,}"#).members.count == 1)
        #expect(try parse(#"{"a":@BASE@}"#)["a"]?.text == "@BASE@")
    }

    @Test(arguments: [
        ("", 0), ("{", 1), (#"{"a""#, 4), (#"{"a":"#, 5), ("[1", 2), ("[1 2]", 3), (#""abc"#, 4), (#""\x""#, 2), (#""\u12""#, 5),
        ("{a:1}", 1), ("[,]", 1),
    ])
    func `what is wrong is told with its position`(document: String, position: Int) {
        let error = #expect(throws: LogError.self) { try parse(document) }
        #expect(error?.position == position)
    }

    /// Nothing is kept on the stack, so that a deep document is read on the small stack of any
    /// thread.
    @Test func `nested frames keep their places`() throws {
        let depth = Limits.standard.jsonDepth / 2
        let text = String(repeating: #"{"a": ["#, count: depth) + "7" + String(repeating: "], }", count: depth)
        var value = try parse(text)
        for level in 0..<depth {
            #expect(value.range == level * 7..<text.utf8.count - level * 4)
            value = try #require(value["a"]?.elements.first)
        }
        #expect(value.int == 7)
    }

    @Test func `nesting is capped`() throws {
        let depth = Limits.standard.jsonDepth
        _ = try parse(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        #expect(throws: LogError.self) { try parse(String(repeating: "[", count: depth + 1) + String(repeating: "]", count: depth + 1)) }
    }

    /// The array, the object in it, a key, its value, and a number are five; a key and its value
    /// come together.
    @Test func `the elements of an array of two`() throws {
        let root = try parse(#"[[1,"a"],[[1,2],{"a":3}],[],[1],[1,2,3],{"a":1},5]"#)
        let pairs = root.elements.map(\.pair)
        #expect(pairs[0]?.0.int == 1 && pairs[0]?.1.string == "a")
        #expect(pairs[1]?.0.elements.count == 2 && pairs[1]?.1["a"]?.int == 3)
        #expect(pairs[2...].allSatisfy { $0 == nil })
        #expect(try parse("[]").pair == nil)
    }

    @Test func `values that are written alike`() throws {
        let root = try parse(#"[["a",1],["a",1],["a", 1],["a",2],["a"]]"#)
        let first = root.elements[0]
        #expect(root.elements.map { $0.isWritten(like: first) } == [true, true, false, false, false])
        // Also in another document, at another position.
        #expect(try parse(#"  ["a",1]"#).isWritten(like: first))
    }

    @Test func `the number of values is capped`() throws {
        let bytes = Array(#"[{"a": 1}, 2]"#.utf8)
        var limits = Limits()
        limits.jsonValues = 5
        #expect(try JSONParser(limits: limits).parse(bytes.span).elements.count == 2)
        limits.jsonValues = 4
        let error = #expect(throws: LogError.self) { try JSONParser(limits: limits).parse(bytes.span) }
        #expect(error?.description == "the JSON document has too many values at byte 11: expected at most 4, keys among them")
    }

    /// Each frame of a log is read anew when results are written into it: 20,000 of a log of 8 MB,
    /// which is not copied each time (160 GB).
    @Test func `a value in a long log takes no longer than in a short one`() throws {
        var log = [UInt8](repeating: UInt8(ascii: " "), count: 8 << 20)
        let value = Array(#"{"a": "0x10", "b": ["c\n", 7]}"#.utf8)
        let start = log.count
        log += value + Array(", and more".utf8)
        let time = try processorTime {
            for _ in 0..<20_000 {
                let found = try JSONParser().parse(log.span, from: start)
                guard found.range != start..<start + value.count || found["a"]?.unsigned != 16 else { continue }
                Issue.record("another value: \(found.range)")
                break
            }
        }
        #expect(time < .seconds(10))
        let found = try JSONParser().parse(log.span, from: start)
        #expect(found["b"]?.elements.map(\.range) == [start + 20..<start + 25, start + 27..<start + 28])
        #expect(found["b"]?.elements[0].string == "c\n" && found["a"]?.string == "0x10")
    }
}
