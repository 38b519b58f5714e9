internal import DWARF

/// Arguments of templates: `<int, 3U>`.
extension TypeNames {
    /// The arguments of a template whose name does not have them (Clang's
    /// `-gsimple-template-names`).
    /// - Returns: whether the entry is a template's.
    mutating func templateParameters(_ type: DumpEntry, _ isFirst: inout Bool, isOutermost: Bool) -> Bool {
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
