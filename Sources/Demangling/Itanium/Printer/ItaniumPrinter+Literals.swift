/// Literals and initialisers, and what `requires` requires.
extension ItaniumPrinter {
    @inline(never)
    mutating func literal(_ node: ItaniumNode) {
        switch node.kind {
        case .initializerList:
            if isCharacterArray(node.a), string(node.range) { return }
            print(node.a)
            put("{")
            list(node.range)
            put("}")
        case .designated:
            put(node.detail == 1 ? "[" : ".")
            print(node.a)
            if node.detail == 1 { put("]") }
            initializer(node.b)
        case .designatedRange:
            put("[")
            print(node.a)
            put(" ... ")
            print(node.b)
            put("]")
            initializer(node.c)
        case .boolean:
            put(node.detail == 1 ? "true" : "false")
        case .stringLiteral:
            put("\"<")
            print(node.a)
            put(">\"")
        case .lambda:
            put("[]")
            if tree[node.a].kind == .closure { closureDeclarator(tree[node.a].range) }
            put("{...}")
        case .enumerator:
            open()
            print(node.a)
            close()
            putNumber(node.range)
        case .integer:
            integer(node)
        case .floatingPoint:
            guard let format = HexadecimalFloat.Format(node.word, digits: Int(node.c)) else { return }
            put(text: HexadecimalFloat.text(cursor.slice(node.range), format))
            if node.word == .float { put("f") } else if node.word == .longDouble { put("L") }
        case .requirements:
            requirements(node.range)
        case .expressionRequirement:
            let isBraced = node.detail == 1 || node.b != ItaniumTree.none
            put(" ")
            if isBraced { open("{") }
            print(node.a)
            if isBraced { close("}") }
            if node.detail == 1 { put(" noexcept") }
            if node.b != ItaniumTree.none {
                put(" -> ")
                print(node.b)
            }
            put(";")
        case .typeRequirement:
            put(" typename ")
            print(node.a)
            put(";")
        case .nestedRequirement:
            put(" requires ")
            print(node.a)
            put(";")
        case .sequence:
            list(node.range)
        default:
            break
        }
    }

    private func isCharacterArray(_ id: ID) -> Bool {
        guard id != ItaniumTree.none, tree[id].kind == .array, case let element = tree[tree[id].a] else { return false }
        return element.kind == .fixed && element.word == .char
    }

    /// An array of characters as the string literal that it is.
    /// - Returns: false, with nothing written, if its members are not all numbers of one byte.
    private mutating func string(_ members: NameRange) -> Bool {
        var bytes: [UInt8] = []
        for index in 0..<Int(members.count) {
            let member = tree[tree.member(members, index)]
            guard member.kind == .integer, let byte = UInt8(String(decoding: cursor.slice(member.range), as: UTF8.self)) else {
                return false
            }
            bytes.append(byte)
        }
        put("\"")
        var endsInNumber = false
        for byte in bytes {
            // `""` keeps a digit from becoming part of the numeric escape before it.
            if endsInNumber, isHexadecimalDigit(byte) { put("\"\"") }
            endsInNumber = false
            switch byte {
            case 7: put("\\a")
            case 8: put("\\b")
            case 9: put("\\t")
            case 10: put("\\n")
            case 11: put("\\v")
            case 12: put("\\f")
            case 13: put("\\r")
            case UInt8(ascii: "\""): put("\\\"")
            case UInt8(ascii: "\\"): put("\\\\")
            case 0..<32, 127:
                put(text: (byte > 7 ? "\\x" : "\\") + String(byte, radix: 16, uppercase: true))
                endsInNumber = true
            default: put(byte)
            }
        }
        put("\"")
        return true
    }

    private func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        default: false
        }
    }

    /// Prints the part after a designator: another one, or ` = ` and a value.
    private mutating func initializer(_ id: ID) {
        switch tree[id].kind {
        case .designated, .designatedRange: break
        default: put(" = ")
        }
        print(id)
    }

    private mutating func integer(_ node: ItaniumNode) {
        switch node.word {
        case .nothing, .u, .l, .ul, .ll, .ull:
            putNumber(node.range)
            put(node.word.text)
        default:
            open()
            put(node.word.text)
            close()
            putNumber(node.range)
        }
    }

    private mutating func requirements(_ members: NameRange) {
        let parametersEnd = 1 + Int(tree.member(members, 0))
        put("requires")
        if parametersEnd > 1 {
            put(" ")
            parenthesized(members, from: 1, to: parametersEnd)
        }
        put(" ")
        open("{")
        var index = parametersEnd
        while index < Int(members.count) {
            print(tree.member(members, index))
            index += 1
        }
        put(" ")
        close("}")
    }
}
