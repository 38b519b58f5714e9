internal import DWARF

/// Writes the names of types as LLVM does: as C++ writes them, whatever the language.
///
/// A declarator has a part before the name and one behind it (`int (*` and `)(char)`), so each kind of type has two functions.
struct TypeNames {
    private let context: DumpContext
    private let trees: UnitTrees
    private(set) var text: [UInt8] = []
    /// What was written last is a word, so that the next one needs a space before it.
    private var endsWithWord = true
    private var endsWithTemplate = false
    /// Steps that are left: types that refer to themselves would be written for ever, and a crafted one is as long as it likes.
    private var budget = 20_000
    private var depth = 0

    init(_ context: DumpContext, _ trees: UnitTrees) {
        self.context = context
        self.trees = trees
    }

    /// The name of a type with the namespaces and types around it.
    static func qualified(_ type: DumpEntry, _ context: DumpContext, _ trees: UnitTrees) -> [UInt8] {
        var names = TypeNames(context, trees)
        names.qualifiedName(type)
        return names.text
    }

    private mutating func write(_ words: StaticString) {
        unsafe text.append(contentsOf: UnsafeBufferPointer(start: words.utf8Start, count: words.utf8CodeUnitCount))
    }

    private mutating func write(_ words: String) { text += Array(words.utf8) }

    /// Whether one more step may be taken.
    private mutating func mayGoOn() -> Bool {
        guard budget > 0, depth < 256, text.count < 1 << 20 else { return false }
        budget -= 1
        return true
    }

    private mutating func qualifiedName(_ type: DumpEntry?) {
        guard mayGoOn() else { return }
        depth += 1
        defer { depth -= 1 }
        if let type, Self.hasScope(type.tag) { scopes(trees.parent(of: type)) }
        unqualifiedName(type)
    }

    private mutating func unqualifiedName(_ type: DumpEntry?) {
        let inner = unqualifiedNameBefore(type)
        unqualifiedNameAfter(type, inner)
    }

    private mutating func qualifiedNameBefore(_ type: DumpEntry?) {
        guard mayGoOn() else { return }
        depth += 1
        defer { depth -= 1 }
        if let type, Self.hasScope(type.tag) { scopes(trees.parent(of: type)) }
        _ = unqualifiedNameBefore(type)
    }

    fileprivate static func hasScope(_ tag: UInt16) -> Bool {
        [Tag.structureType, Tag.classType, Tag.unionType, Tag.namespace, Tag.enumerationType].contains(tag)
    }

    private mutating func scopes(_ entry: DumpEntry?) {
        guard var entry, mayGoOn() else { return }
        switch entry.tag {
        case Tag.compileUnit, Tag.typeUnit, Tag.skeletonUnit, Tag.subprogram, Tag.lexicalBlock: return
        default: break
        }
        depth += 1
        defer { depth -= 1 }
        entry = context.resolved(entry)
        if let parent = trees.parent(of: entry) { scopes(parent) }
        unqualifiedName(entry)
        write("::")
    }

    /// What stands before the declared name.
    /// - Returns: the type inside of this one, if it was looked at.
    private mutating func unqualifiedNameBefore(_ type: DumpEntry?) -> DumpEntry? {
        endsWithWord = true
        guard let type else {
            write("void")
            return nil
        }
        switch type.tag {
        case Tag.pointerType: return pointerBefore(type, "*")
        case Tag.referenceType: return pointerBefore(type, "&")
        case Tag.rvalueReferenceType: return pointerBefore(type, "&&")
        case Tag.subroutineType:
            let inner = context.type(of: type)
            qualifiedNameBefore(inner)
            if endsWithWord { write(" ") }
            endsWithWord = false
            return inner
        case Tag.arrayType, Tag.llvmPointerAuthentication:
            let inner = context.type(of: type)
            qualifiedNameBefore(inner)
            return inner
        case Tag.pointerToMemberType:
            let inner = context.type(of: type)
            qualifiedNameBefore(inner)
            if needsParentheses(inner) { write("(") } else if endsWithWord { write(" ") }
            if let container = context.type(of: type, Attribute.containingType) {
                qualifiedName(container)
                endsWithTemplate = false
                write("::")
            }
            write("*")
            endsWithWord = false
            return inner
        case Tag.constType, Tag.volatileType:
            qualifierBefore(type)
            return nil
        case Tag.namespace:
            if let name = name(of: type) { text += name } else { write("(anonymous namespace)") }
            return nil
        case Tag.unspecifiedType:
            let name = context.shortName(type)?.bytes ?? []
            text += name.elementsEqual("decltype(nullptr)".utf8) ? Array("std::nullptr_t".utf8) : name
            endsWithWord = true
            endsWithTemplate = false
            return nil
        default:
            namedType(type)
            return nil
        }
    }

    private mutating func pointerBefore(_ type: DumpEntry, _ sign: StaticString) -> DumpEntry? {
        let inner = context.type(of: type)
        qualifiedNameBefore(inner)
        if endsWithWord { write(" ") }
        if needsParentheses(inner) { write("(") }
        write(sign)
        endsWithWord = false
        endsWithTemplate = false
        return inner
    }

    private mutating func namedType(_ type: DumpEntry) {
        guard var name = name(of: type) else {
            // `structure ` of `DW_TAG_structure_type`.
            let tag = DWARFNames.tags.name(UInt64(type.tag)) ?? []
            if tag.suffix(5).elementsEqual("_type".utf8) {
                text += tag.dropFirst(7).dropLast(5)
                write(" ")
            }
            return
        }
        endsWithWord = true
        // Clang's simplified template names, mangled for tests: `_STN|base|<arguments>`.
        if name.starts(with: "_STN|".utf8) {
            name.removeFirst(5)
            name = Array(name.prefix { $0 != UInt8(ascii: "|") })
        } else {
            endsWithTemplate = name.last == UInt8(ascii: ">")
        }
        text += name
        if name.last == UInt8(ascii: ">") { return }
        var isFirst = true
        guard templateParameters(type, &isFirst, isOutermost: true) else { return }
        if endsWithTemplate { write(" ") }
        write(">")
        endsWithTemplate = true
        endsWithWord = true
    }

    /// What stands behind the declared name.
    private mutating func unqualifiedNameAfter(_ type: DumpEntry?, _ inner: DumpEntry?, skipsObject: Bool = false) {
        guard let type, mayGoOn() else { return }
        depth += 1
        defer { depth -= 1 }
        switch type.tag {
        case Tag.subroutineType: subroutineAfter(type, inner, skipsObject: skipsObject, isConst: false, isVolatile: false)
        case Tag.arrayType: arrayAfter(type)
        case Tag.constType, Tag.volatileType: qualifierAfter(type)
        case Tag.pointerToMemberType, Tag.referenceType, Tag.rvalueReferenceType, Tag.pointerType:
            if needsParentheses(inner) { write(")") }
            unqualifiedNameAfter(
                inner, inner.flatMap { context.type(of: $0) }, skipsObject: type.tag == Tag.pointerToMemberType)
        case Tag.llvmPointerAuthentication: pointerAuthentication(type)
        default: break
        }
    }

    private func name(of entry: DumpEntry) -> [UInt8]? {
        context.value(Attribute.name, of: entry).flatMap { context.string($0) }?.bytes
    }

    private func needsParentheses(_ type: DumpEntry?) -> Bool {
        var type = type
        for _ in 0..<64 {
            guard let tag = type?.tag, tag == Tag.constType || tag == Tag.volatileType else { break }
            type = type.flatMap { context.type(of: $0) }
        }
        return type?.tag == Tag.subroutineType || type?.tag == Tag.arrayType
    }
}

extension TypeNames {
    private func unsigned(_ attribute: UInt16, _ entry: DumpEntry) -> UInt64? {
        context.value(attribute, of: entry)?.unsignedConstant
    }

    private mutating func arrayAfter(_ type: DumpEntry) {
        var parts: [String] = []
        let lowest = context.bases(of: type.unit).language.flatMap { Self.lowerBound(ofLanguage: $0) }
        context.forEachChild(of: type) { child in
            guard child.tag == Tag.subrangeType else { return true }
            var lower = unsigned(Attribute.lowerBound, child)
            let (count, upper) = (unsigned(Attribute.count, child), unsigned(Attribute.upperBound, child))
            if lower != nil, lower == lowest { lower = nil }
            if lower == nil, count == nil, upper == nil {
                parts.append("[]")
            } else if lower == nil, let lowest, let total = count ?? upper.map({ $0 &- lowest &+ 1 }) {
                parts.append("[\(total)]")
            } else {
                var end = "?"
                if let count {
                    end = lower.map { String($0 &+ count) } ?? "? + \(count)"
                } else if let upper {
                    end = String(upper &+ 1)
                }
                parts.append("[[" + (lower.map { String($0) } ?? "?") + ", " + end + ")]")
            }
            return parts.count < 64
        }
        write(parts.joined())
        endsWithTemplate = false
    }

    /// Where arrays begin (DWARF 5, table 7.17, and the languages that came since).
    private static func lowerBound(ofLanguage language: UInt64) -> UInt64? {
        switch language {
        case 0x03, 0x05...0x0a, 0x0d...0x0f, 0x17, 0x1f, 0x22, 0x23: 1
        case 0x01...0x28, 0x2a...0x39, 0x40...0x42, 0x8e57, 0xb000: 0
        default: nil
        }
    }

    private mutating func subroutineAfter(
        _ type: DumpEntry, _ inner: DumpEntry?, skipsObject: Bool, isConst: Bool, isVolatile: Bool
    ) {
        var (isConst, isVolatile) = (isConst, isVolatile)
        var object: DumpEntry?
        write("(")
        endsWithTemplate = false
        var parameters: [DumpEntry] = []
        var isCut = false
        context.forEachChild(of: type) { child in
            isCut = child.tag != Tag.formalParameter && child.tag != Tag.unspecifiedParameters
            if !isCut { parameters.append(child) }
            return !isCut && parameters.count < 4096
        }
        var isFirst = true
        var mayBeObject = skipsObject
        for parameter in parameters {
            if mayBeObject, context.value(Attribute.artificial, of: parameter) != nil {
                object = context.type(of: parameter)
                mayBeObject = false
                continue
            }
            if !isFirst { write(", ") }
            isFirst = false
            if parameter.tag == Tag.unspecifiedParameters { write("...") } else { qualifiedName(context.type(of: parameter)) }
        }
        // LLVM stops in the middle at a child of another kind.
        if isCut { return }
        endsWithTemplate = false
        write(")")
        if let object, object.tag == Tag.pointerType, let outer = context.type(of: object) {
            for qualified in [outer, context.type(of: outer)] {
                isConst = isConst || qualified?.tag == Tag.constType
                isVolatile = isVolatile || qualified?.tag == Tag.volatileType
            }
        }
        if let convention = unsigned(Attribute.callingConvention, type), let words = Self.conventions[convention] {
            write(" __attribute__((" + words + "))")
        }
        if isConst { write(" const") }
        if isVolatile { write(" volatile") }
        if context.value(Attribute.reference, of: type) != nil { write(" &") }
        if context.value(Attribute.rvalueReference, of: type) != nil { write(" &&") }
        unqualifiedNameAfter(inner, inner.flatMap { context.type(of: $0) })
    }

    /// Calling conventions that have an attribute in C, by their numbers.
    private static let conventions: [UInt64: String] = [
        0xb1: "stdcall", 0xb3: "fastcall", 0xb5: "thiscall", 0xb2: "pascal", 0xc0: "vectorcall", 0xc1: "ms_abi", 0xc2: "sysv_abi",
        0xc3: "pcs(\"aapcs\")", 0xc4: "pcs(\"aapcs-vfp\")", 0xc5: "intel_ocl_bicc", 0xc8: "swiftcall", 0xc9: "preserve_most",
        0xca: "preserve_all", 0xcb: "regcall", 0xcc: "m68k_rtd", 0xcd: "preserve_none",
    ]

    /// The type below `const` and `volatile`, of which at most one of each is looked through.
    private func decomposed(_ type: DumpEntry) -> (type: DumpEntry?, isConst: Bool, isVolatile: Bool) {
        var isConst = type.tag == Tag.constType
        var isVolatile = !isConst
        var inner = context.type(of: type)
        if inner?.tag == Tag.constType {
            isConst = true
            inner = inner.flatMap { context.type(of: $0) }
        } else if inner?.tag == Tag.volatileType {
            isVolatile = true
            inner = inner.flatMap { context.type(of: $0) }
        }
        return (inner, isConst, isVolatile)
    }

    private mutating func qualifierBefore(_ type: DumpEntry) {
        let (inner, isConst, isVolatile) = decomposed(type)
        let isSubroutine = inner?.tag == Tag.subroutineType
        var element = inner
        for _ in 0..<64 where element?.tag == Tag.arrayType { element = element.flatMap { context.type(of: $0) } }
        let isPointer = element?.tag == Tag.pointerType || element?.tag == Tag.pointerToMemberType
        if !isPointer, !isSubroutine {
            if isConst { write("const ") }
            if isVolatile { write("volatile ") }
        }
        qualifiedNameBefore(inner)
        if isPointer, !isSubroutine {
            endsWithWord = true
            if isConst { write("const") }
            if isVolatile { write(isConst ? " volatile" : "volatile") }
        }
    }

    private mutating func qualifierAfter(_ type: DumpEntry) {
        let (inner, isConst, isVolatile) = decomposed(type)
        if let inner, inner.tag == Tag.subroutineType {
            subroutineAfter(inner, context.type(of: inner), skipsObject: false, isConst: isConst, isVolatile: isVolatile)
        } else {
            unqualifiedNameAfter(inner, inner.flatMap { context.type(of: $0) })
        }
    }

    private mutating func pointerAuthentication(_ type: DumpEntry) {
        let base = Attribute.llvmPointerAuthenticationKey
        let value = { (names: TypeNames, number: UInt16) in names.unsigned(base + number, type) ?? 0 }
        var options: [String] = []
        if value(self, 4) != 0 { options.append("isa-pointer") }
        if value(self, 5) != 0 { options.append("authenticates-null-values") }
        let list = options.isEmpty ? "" : ", \"" + options.joined(separator: ",") + "\""
        write("__ptrauth(\(value(self, 0)), \(value(self, 1)), 0x0\(String(value(self, 2), radix: 16))\(list))")
    }
}

extension TypeNames {
    /// The arguments of a template whose name does not have them (Clang's `-gsimple-template-names`).
    /// - Returns: whether the entry is a template's.
    private mutating func templateParameters(_ type: DumpEntry, _ isFirst: inout Bool, isOutermost: Bool) -> Bool {
        var isTemplate = false
        var parameters: [DumpEntry] = []
        context.forEachChild(of: type) { child in
            switch child.tag {
            case Tag.gnuTemplateParameterPack, Tag.templateValueParameter, Tag.gnuTemplateTemplateParameter, Tag.templateTypeParameter:
                parameters.append(child)
            default: break
            }
            return parameters.count < 4096
        }
        for parameter in parameters {
            guard mayGoOn() else { return isTemplate }
            isTemplate = true
            if parameter.tag == Tag.gnuTemplateParameterPack {
                _ = templateParameters(parameter, &isFirst, isOutermost: false)
                continue
            }
            write(isFirst ? "<" : ", ")
            endsWithTemplate = false
            isFirst = false
            switch parameter.tag {
            case Tag.templateValueParameter: templateValue(parameter)
            case Tag.gnuTemplateTemplateParameter:
                text += context.value(Attribute.gnuTemplateName, of: parameter).flatMap { context.string($0) }?.bytes ?? []
            default: qualifiedName(context.type(of: parameter))
            }
        }
        if isTemplate, isFirst, isOutermost {
            write("<")
            endsWithTemplate = false
        }
        return isTemplate
    }

    private mutating func templateValue(_ parameter: DumpEntry) {
        guard let type = context.type(of: parameter), let value = context.value(Attribute.constValue, of: parameter) else { return }
        if type.tag == Tag.enumerationType {
            write("(")
            qualifiedName(type)
            write(")")
            return write(value.signedConstant.map { String($0) } ?? "")
        }
        if type.tag == Tag.pointerType { return }
        let name = String(decoding: name(of: type) ?? [], as: UTF8.self)
        let signed = value.signedConstant.map { String($0) } ?? ""
        let unsigned = value.unsignedConstant.map { String($0) } ?? ""
        switch name {
        case "bool": write(value.unsignedConstant == 0 ? "false" : "true")
        case "short", "unsigned short": write("(\(name))" + signed)
        case "int": write(signed)
        case "long": write(signed + "L")
        case "long long": write(signed + "LL")
        case "unsigned int": write(unsigned + "U")
        case "unsigned long": write(unsigned + "UL")
        case "unsigned long long": write(unsigned + "ULL")
        case "char": write(Self.character(value.signedConstant ?? 0))
        case "unsigned char", "signed char": write("(\(name))" + Self.character(value.signedConstant ?? 0))
        default: break
        }
    }

    /// As Clang prints a character.
    private static func character(_ value: Int64) -> String {
        let names: [Int64: String] = [
            0x5c: "\\\\", 0x27: "\\'", 7: "\\a", 8: "\\b", 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t", 11: "\\v",
        ]
        if let name = names[value] { return "'" + name + "'" }
        var bits = UInt64(bitPattern: value)
        if bits & ~0xff == ~0xff { bits &= 0xff }
        if bits >= 32, bits < 127 { return "'" + String(UnicodeScalar(UInt8(bits))) + "'" }
        let digits = String(bits, radix: 16)
        let (letter, width) = bits < 256 ? ("x", 2) : bits <= 0xffff ? ("u", 4) : ("U", 8)
        return "'\\" + letter + String(repeating: "0", count: max(0, width - digits.count)) + digits + "'"
    }
}
