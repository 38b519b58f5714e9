internal import BinaryPrimitives

/// Precedence of an expression, tightest first (the C++ standard's [expr]). An operand that binds
/// less tightly than its context demands is put in parentheses.
enum ItaniumPrecedence: UInt8, Comparable {
    case primary, postfix, unary, cast, memberPointer, multiplicative, additive, shift, spaceship, relational, equality
    case and, exclusiveOr, inclusiveOr, logicalAnd, logicalOr, conditional, assignment, comma, loosest

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An operator of the ABI's section 5.1.3: its two letters, its spelling, and its position among
/// its operands.
struct ItaniumOperator {
    enum Form {
        case prefix, postfix, binary, subscripted, member, new, delete, call, parenthesizedCall, conversion, conditional
        /// `co_await`: in an operator function's name, never in an expression.
        case nameOnly
        /// Not the name of a function, as the rest below: `static_cast<a>(b)`, `sizeof (a)`.
        case namedCast, ofType, ofExpression
        /// `.` and `.*`, which no function can be named after.
        case unnamedMember
    }

    let letters: (UInt8, UInt8)
    let form: Form
    let precedence: ItaniumPrecedence
    /// Without `operator`.
    let symbol: String

    private init(_ letters: StaticString, _ form: Form, _ precedence: ItaniumPrecedence, _ symbol: String) {
        let bytes = letters.description.utf8
        self.letters = (bytes.first ?? 0, bytes.last ?? 0)
        self.form = form
        self.precedence = precedence
        self.symbol = symbol
    }

    /// Whether functions are called after it: `operator+`.
    var namesFunctions: Bool {
        switch form {
        case .namedCast, .ofType, .ofExpression, .unnamedMember: false
        default: true
        }
    }

    /// Whether packs fold over it: the binary operators and `.*`, `->*`.
    var folds: Bool { form == .binary || isMember && symbol.utf8.last == UInt8(ascii: "*") }

    private var isMember: Bool { form == .member || form == .unnamedMember }

    /// Whether `operator` needs a space after it.
    var isWord: Bool { symbol.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? false }

    var isArray: Bool { symbol.utf8.last == UInt8(ascii: "]") }

    /// Index in `table` of the operator with these two letters.
    static func index(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Int? {
        let key = first.value << 8 | second.value
        func letters(_ index: Int) -> UInt32 { UInt32(table[index].letters.0) << 8 | UInt32(table[index].letters.1) }
        let index = table.indices.partitionPoint { letters($0) >= key }
        return index < table.count && letters(index) == key ? index : nil
    }

    /// In the order of their letters.
    static let table: [ItaniumOperator] = [
        .init("aN", .binary, .assignment, "&="),
        .init("aS", .binary, .assignment, "="),
        .init("aa", .binary, .logicalAnd, "&&"),
        .init("ad", .prefix, .unary, "&"),
        .init("an", .binary, .and, "&"),
        .init("at", .ofType, .unary, "alignof "),
        .init("aw", .nameOnly, .primary, "co_await"),
        .init("az", .ofExpression, .unary, "alignof "),
        .init("cc", .namedCast, .postfix, "const_cast"),
        .init("cl", .call, .postfix, "()"),
        .init("cm", .binary, .comma, ","),
        .init("co", .prefix, .unary, "~"),
        .init("cp", .parenthesizedCall, .postfix, "()"),
        .init("cv", .conversion, .cast, ""),
        .init("dV", .binary, .assignment, "/="),
        .init("da", .delete, .unary, "delete[]"),
        .init("dc", .namedCast, .postfix, "dynamic_cast"),
        .init("de", .prefix, .unary, "*"),
        .init("dl", .delete, .unary, "delete"),
        .init("ds", .unnamedMember, .memberPointer, ".*"),
        .init("dt", .unnamedMember, .postfix, "."),
        // LLVM prints the quotient as an assignment: `(a / b) + c`, in every context.
        .init("dv", .binary, .assignment, "/"),
        .init("eO", .binary, .assignment, "^="),
        .init("eo", .binary, .exclusiveOr, "^"),
        .init("eq", .binary, .equality, "=="),
        .init("ge", .binary, .relational, ">="),
        .init("gt", .binary, .relational, ">"),
        .init("ix", .subscripted, .postfix, "[]"),
        .init("lS", .binary, .assignment, "<<="),
        .init("le", .binary, .relational, "<="),
        .init("ls", .binary, .shift, "<<"),
        .init("lt", .binary, .relational, "<"),
        .init("mI", .binary, .assignment, "-="),
        .init("mL", .binary, .assignment, "*="),
        .init("mi", .binary, .additive, "-"),
        .init("ml", .binary, .multiplicative, "*"),
        .init("mm", .postfix, .postfix, "--"),
        .init("na", .new, .unary, "new[]"),
        .init("ne", .binary, .equality, "!="),
        .init("ng", .prefix, .unary, "-"),
        .init("nt", .prefix, .unary, "!"),
        .init("nw", .new, .unary, "new"),
        .init("oR", .binary, .assignment, "|="),
        .init("oo", .binary, .logicalOr, "||"),
        .init("or", .binary, .inclusiveOr, "|"),
        .init("pL", .binary, .assignment, "+="),
        .init("pl", .binary, .additive, "+"),
        // LLVM has no function of this name; C++ does ([over.oper]), and GNU's demangler names it.
        .init("pm", .member, .memberPointer, "->*"),
        .init("pp", .postfix, .postfix, "++"),
        .init("ps", .prefix, .unary, "+"),
        .init("pt", .member, .postfix, "->"),
        .init("qu", .conditional, .conditional, "?"),
        .init("rM", .binary, .assignment, "%="),
        .init("rS", .binary, .assignment, ">>="),
        .init("rc", .namedCast, .postfix, "reinterpret_cast"),
        .init("rm", .binary, .multiplicative, "%"),
        .init("rs", .binary, .shift, ">>"),
        .init("sc", .namedCast, .postfix, "static_cast"),
        .init("ss", .binary, .spaceship, "<=>"),
        .init("st", .ofType, .unary, "sizeof "),
        .init("sz", .ofExpression, .unary, "sizeof "),
        .init("te", .ofExpression, .postfix, "typeid "),
        .init("ti", .ofType, .postfix, "typeid "),
    ]
}
