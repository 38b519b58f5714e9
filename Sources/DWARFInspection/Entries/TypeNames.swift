internal import DWARF

/// Writes the names of types as LLVM does: as C++ writes them, whatever the language.
///
/// A declarator has a part before the name and one after it (`int (*` and `)(char)`), so each kind
/// of type has two functions.
struct TypeNames {
    let context: DumpContext
    private let trees: UnitTrees
    var text: [UInt8] = []
    /// The text ends with a word, so that the next one needs a space before it.
    var endsWithWord = true
    var endsWithTemplate = false
    /// Steps that are left: types that refer to themselves would be written for ever, and a crafted
    /// one is as long as it likes.
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

    mutating func write(_ string: StaticString) {
        unsafe text.append(contentsOf: UnsafeBufferPointer(start: string.utf8Start, count: string.utf8CodeUnitCount))
    }

    mutating func write(_ string: String) { text += Array(string.utf8) }

    /// Whether one more step may be taken.
    mutating func mayGoOn() -> Bool {
        guard budget > 0, depth < 256, text.count < 1 << 20 else { return false }
        budget -= 1
        return true
    }

    mutating func qualifiedName(_ type: DumpEntry?) {
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

    mutating func qualifiedNameBefore(_ type: DumpEntry?) {
        guard mayGoOn() else { return }
        depth += 1
        defer { depth -= 1 }
        if let type, Self.hasScope(type.tag) { scopes(trees.parent(of: type)) }
        _ = unqualifiedNameBefore(type)
    }

    private static func hasScope(_ tag: UInt16) -> Bool {
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

    /// Writes the text before the declared name.
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

    /// Writes the text behind the declared name.
    mutating func unqualifiedNameAfter(_ type: DumpEntry?, _ inner: DumpEntry?, skipsObject: Bool = false) {
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

    func name(of entry: DumpEntry) -> [UInt8]? {
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
