internal import DWARF

/// Text behind the declared name: `[3]`, `(int) const`.
extension TypeNames {
    func unsigned(_ attribute: UInt16, _ entry: DumpEntry) -> UInt64? {
        context.value(attribute, of: entry)?.unsignedConstant
    }

    mutating func arrayAfter(_ type: DumpEntry) {
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

    /// Default lower bound of arrays (DWARF 5, table 7.17, and the languages that came since).
    private static func lowerBound(ofLanguage language: UInt64) -> UInt64? {
        switch language {
        case 0x03, 0x05...0x0a, 0x0d...0x0f, 0x17, 0x1f, 0x22, 0x23: 1
        case 0x01...0x28, 0x2a...0x39, 0x40...0x42, 0x8e57, 0xb000: 0
        default: nil
        }
    }

    mutating func subroutineAfter(
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
        if let convention = unsigned(Attribute.callingConvention, type), let string = Self.conventions[convention] {
            write(" __attribute__((" + string + "))")
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

    mutating func qualifierBefore(_ type: DumpEntry) {
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

    mutating func qualifierAfter(_ type: DumpEntry) {
        let (inner, isConst, isVolatile) = decomposed(type)
        if let inner, inner.tag == Tag.subroutineType {
            subroutineAfter(inner, context.type(of: inner), skipsObject: false, isConst: isConst, isVolatile: isVolatile)
        } else {
            unqualifiedNameAfter(inner, inner.flatMap { context.type(of: $0) })
        }
    }

    mutating func pointerAuthentication(_ type: DumpEntry) {
        let base = Attribute.llvmPointerAuthenticationKey
        let value = { (names: TypeNames, number: UInt16) in names.unsigned(base + number, type) ?? 0 }
        var options: [String] = []
        if value(self, 4) != 0 { options.append("isa-pointer") }
        if value(self, 5) != 0 { options.append("authenticates-null-values") }
        let list = options.isEmpty ? "" : ", \"" + options.joined(separator: ",") + "\""
        write("__ptrauth(\(value(self, 0)), \(value(self, 1)), 0x0\(String(value(self, 2), radix: 16))\(list))")
    }
}
