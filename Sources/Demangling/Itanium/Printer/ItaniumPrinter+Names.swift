/// Names: they have no right part, except for a whole function.
extension ItaniumPrinter {
    @inline(never)
    mutating func name(_ node: ItaniumNode) {
        switch node.kind {
        case .operatorName:
            let found = ItaniumOperator.table[Int(node.detail)]
            put(found.isWord ? "operator " : "operator")
            put(text: found.symbol)
        case .nested, .local:
            print(node.a)
            put("::")
            print(node.b)
        case .friend:
            print(node.a)
            put("::friend ")
            print(node.b)
        case .module:
            print(node.a)
            if node.detail == 1 { put(":") } else if node.a != ItaniumTree.none { put(".") }
            print(node.b)
        case .inModule:
            print(node.b)
            put("@")
            print(node.a)
        case .tagged:
            left(node.a)
            put("[abi:")
            put(node.range)
            put("]")
        case .templated:
            print(node.a)
            print(node.b)
        case .global:
            put("::")
            print(node.a)
        case .standardName:
            put("std::")
            put(node.word.text)
        case .expandedStandardName:
            put("std::")
            baseName(of: node)
            switch node.word {
            case .allocator, .basicString: break
            case .string: put("<char, std::char_traits<char>, std::allocator<char>>")
            default: put("<char, std::char_traits<char>>")
            }
        case .constructor:
            baseName(of: node.a)
        case .destructor:
            put("~")
            baseName(of: node.a)
        case .destroyed:
            put("~")
            left(node.a)
        case .unnamedType:
            put("'unnamed")
            put(node.range)
            put("'")
        case .closure:
            put("'lambda")
            put(NameRange(start: tree.member(node.range, 3), count: tree.member(node.range, 4)))
            put("'")
            closureDeclarator(node.range)
        case .structuredBinding:
            open("[")
            list(node.range)
            close("]")
        case .conversion:
            put("operator ")
            print(node.a)
        case .literalOperator:
            put("operator\"\" ")
            print(node.a)
        case .special:
            put(node.word.text)
            print(node.a)
        case .constructionTable:
            put("construction vtable for ")
            print(node.a)
            put("-in-")
            print(node.b)
        case .encoding:
            let result = tree.member(node.range, 0)
            if result != ItaniumTree.none {
                left(result)
                if !hasRight(result) { put(" ") }
            }
            print(tree.member(node.range, 1))
        case .enableIf:
            put(" [enable_if:")
            list(node.range)
            put("]")
        case .objectParameter:
            put("this ")
            print(node.a)
        case .suffixed:
            print(node.a)
            put(" (")
            put(node.range)
            put(")")
        default:
            break
        }
    }

    /// A lambda's template parameters, constraints and parameters. The list is described at
    /// `ItaniumParser.closureType`.
    mutating func closureDeclarator(_ members: NameRange) {
        let templateEnd = 5 + Int(tree.member(members, 0))
        if templateEnd > 5 {
            let saved = angles
            angles = Angles(isInside: true)
            put("<")
            list(members, from: 5, to: templateEnd)
            put(">")
            angles = saved
        }
        let (first, second) = (tree.member(members, 1), tree.member(members, 2))
        if first != ItaniumTree.none {
            put(" requires ")
            print(first)
            put(" ")
        }
        open()
        list(members, from: templateEnd)
        close()
        if second != ItaniumTree.none {
            put(" requires ")
            print(second)
        }
    }

    /// A class's name without its context and without its template arguments: the name of its
    /// constructors.
    mutating func baseName(of id: ID) {
        var id = id
        while id != ItaniumTree.none {
            let node = tree[id]
            switch node.kind {
            case .nested, .friend, .inModule: id = node.b
            case .tagged, .templated, .global: id = node.a
            case .identifier: return put(node.range)
            case .fixed: return put(node.word.text)
            case .standardName: return put(node.word.text)
            case .expandedStandardName: return baseName(of: node)
            case .operatorName: return name(node)
            default: return
            }
        }
    }

    /// `string`, `istream` and so on are typedefs of templates of these names.
    private mutating func baseName(of node: ItaniumNode) {
        switch node.word {
        case .string, .inputStream, .outputStream, .inputOutputStream: put("basic_")
        default: break
        }
        put(node.word.text)
    }
}
