/// Fixed text in demangled C++ names, spelled as LLVM's demangler spells it (GNU's says `decimal64`
/// as LLVM does, but `{lambda()#1}` for `'lambda'()`).
enum ItaniumWord: UInt8 {
    case nothing

    // Builtin types (5.1.5.2).
    case void, wideCharacter, bool, char, signedChar, unsignedChar, short, unsignedShort, int, unsignedInt, long, unsignedLong, longLong
    case unsignedLongLong, int128, unsignedInt128, float, double, longDouble, float128, ellipsis, brainFloat
    case decimal64, decimal128, decimal32, half, char32, char16, char8, auto, decltypeAuto, nullPointerType

    // Suffixes of types.
    case complex, imaginary, constrainedAuto, constrainedDecltypeAuto

    // Suffixes of integer literals.
    case u, l, ul, ll, ull

    // Names.
    case std, anonymousNamespace, stringLiteral, blockLiteral
    case allocator, basicString, string, inputStream, outputStream, inputOutputStream
    case inventedType, inventedValue, inventedTemplate

    // Keywords.
    case structKey, unionKey, enumKey, noexcept, this, `throw`, nullPointer
    case alignOf, sizeOf, typeID, noexceptOperator, sizeOfPack, decltype

    // Special names (5.1.4).
    case vtable, vtt, typeInfo, typeInfoName, covariantThunk, virtualThunk, nonVirtualThunk, threadLocalWrapper, threadLocalInitializer
    case guardVariable, referenceTemporary, moduleInitializer, templateParameterObject, blockInvocation, transactionClone,
        nonTransactionClone

    var text: StaticString {
        switch self {
        case .nothing: ""
        case .void: "void"
        case .wideCharacter: "wchar_t"
        case .bool: "bool"
        case .char: "char"
        case .signedChar: "signed char"
        case .unsignedChar: "unsigned char"
        case .short: "short"
        case .unsignedShort: "unsigned short"
        case .int: "int"
        case .unsignedInt: "unsigned int"
        case .long: "long"
        case .unsignedLong: "unsigned long"
        case .longLong: "long long"
        case .unsignedLongLong: "unsigned long long"
        case .int128: "__int128"
        case .unsignedInt128: "unsigned __int128"
        case .float: "float"
        case .double: "double"
        case .longDouble: "long double"
        case .float128: "__float128"
        case .ellipsis: "..."
        case .brainFloat: "std::bfloat16_t"
        case .decimal64: "decimal64"
        case .decimal128: "decimal128"
        case .decimal32: "decimal32"
        case .half: "half"
        case .char32: "char32_t"
        case .char16: "char16_t"
        case .char8: "char8_t"
        case .auto: "auto"
        case .decltypeAuto: "decltype(auto)"
        case .nullPointerType: "std::nullptr_t"
        case .complex: " complex"
        case .imaginary: " imaginary"
        case .constrainedAuto: " auto"
        case .constrainedDecltypeAuto: " decltype(auto)"
        case .u: "u"
        case .l: "l"
        case .ul: "ul"
        case .ll: "ll"
        case .ull: "ull"
        case .std: "std"
        case .anonymousNamespace: "(anonymous namespace)"
        case .stringLiteral: "string literal"
        case .blockLiteral: "'block-literal'"
        case .allocator: "allocator"
        case .basicString: "basic_string"
        case .string: "string"
        case .inputStream: "istream"
        case .outputStream: "ostream"
        case .inputOutputStream: "iostream"
        case .inventedType: "$T"
        case .inventedValue: "$N"
        case .inventedTemplate: "$TT"
        case .structKey: "struct "
        case .unionKey: "union "
        case .enumKey: "enum "
        case .noexcept: "noexcept"
        case .this: "this"
        case .throw: "throw"
        case .nullPointer: "nullptr"
        case .alignOf: "alignof "
        case .sizeOf: "sizeof "
        case .typeID: "typeid "
        case .noexceptOperator: "noexcept "
        case .sizeOfPack: "sizeof... "
        case .decltype: "decltype"
        case .vtable: "vtable for "
        case .vtt: "VTT for "
        case .typeInfo: "typeinfo for "
        case .typeInfoName: "typeinfo name for "
        case .covariantThunk: "covariant return thunk to "
        case .virtualThunk: "virtual thunk to "
        case .nonVirtualThunk: "non-virtual thunk to "
        case .threadLocalWrapper: "thread-local wrapper routine for "
        case .threadLocalInitializer: "thread-local initialization routine for "
        case .guardVariable: "guard variable for "
        case .referenceTemporary: "reference temporary for "
        case .moduleInitializer: "initializer for module "
        case .templateParameterObject: "template parameter object for "
        case .transactionClone: "transaction clone for "
        case .nonTransactionClone: "non-transaction clone for "
        case .blockInvocation: "invocation function for block in "
        }
    }

    /// Builtin types of one letter; `nil` for a letter that begins something else.
    static func builtin(_ letter: Unicode.Scalar) -> ItaniumWord? {
        switch letter {
        case "v": .void
        case "w": .wideCharacter
        case "b": .bool
        case "c": .char
        case "a": .signedChar
        case "h": .unsignedChar
        case "s": .short
        case "t": .unsignedShort
        case "i": .int
        case "j": .unsignedInt
        case "l": .long
        case "m": .unsignedLong
        case "x": .longLong
        case "y": .unsignedLongLong
        case "n": .int128
        case "o": .unsignedInt128
        case "f": .float
        case "d": .double
        case "e": .longDouble
        case "g": .float128
        case "z": .ellipsis
        default: nil
        }
    }

    /// Builtin types of `D` and one letter.
    static func extendedBuiltin(_ letter: Unicode.Scalar) -> ItaniumWord? {
        switch letter {
        case "d": .decimal64
        case "e": .decimal128
        case "f": .decimal32
        case "h": .half
        case "i": .char32
        case "s": .char16
        case "u": .char8
        case "a": .auto
        case "c": .decltypeAuto
        case "n": .nullPointerType
        default: nil
        }
    }
}
