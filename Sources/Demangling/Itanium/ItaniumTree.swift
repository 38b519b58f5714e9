/// A C++ name as the grammar of the Itanium C++ ABI (section 5.1, External Names) has it: nodes in
/// one array, which refer to each other by their index. A tree rather than text at once, because
/// C++ writes types around the names that they belong to (`int (*f(char))[3]`), because packs are
/// spelled out where they are expanded, and because a conversion operator's type names template
/// arguments that come later.
struct ItaniumTree {
    /// Index of a node in `nodes`; `none` if a part is absent.
    typealias ID = Int32
    static let none: ID = -1

    var nodes: [ItaniumNode] = []
    /// Members of nodes that have many, one run of IDs for each.
    var lists: [ID] = []

    mutating func add(_ node: ItaniumNode) -> ID {
        nodes.append(node)
        return ID(truncatingIfNeeded: nodes.count &- 1)
    }

    subscript(id: ID) -> ItaniumNode {
        @inline(__always) get { nodes[Int(id)] }
        @inline(__always) set { nodes[Int(id)] = newValue }
    }

    /// Member `index` of a list.
    @inline(__always)
    func member(_ list: NameRange, _ index: Int) -> ID { lists[Int(list.start) &+ index] }
}

/// One node: its kind says what the other fields hold.
struct ItaniumNode {
    var kind: Kind
    var precedence = ItaniumPrecedence.primary
    var word = ItaniumWord.nothing
    /// Small facts of the kind: a bit set of qualifiers, the index of an operator in its table, or
    /// a flag.
    var detail: UInt8 = 0
    var shape = Shape.plain
    var a: ItaniumTree.ID = ItaniumTree.none
    var b: ItaniumTree.ID = ItaniumTree.none
    var c: ItaniumTree.ID = ItaniumTree.none
    /// Where the printer wrote the node's left part first, as bytes of its output; empty if it did not yet, or if the part would be
    /// another one elsewhere.
    var written = NameRange()

    /// `b` and `c` as bytes of the name, or as a run of `lists`.
    var range: NameRange { NameRange(start: b, count: c) }

    /// Contents of each kind. “text” is a range of the mangled name's bytes, “list” a run of the
    /// tree's lists, both in `b` (start) and `c` (count).
    enum Kind: UInt8 {
        // Names.
        case identifier  // text
        case fixed  // word: one of the grammar's own names
        case operatorName  // detail: operator
        case nested  // a::b
        case local  // a::b, where a is a function
        case friend  // a::friend b
        case module  // a: parent, b: name, detail 1: partition
        case inModule  // b@a
        case tagged  // a[abi:text]
        case templated  // a and its templateArguments b
        case global  // ::a
        case standardName  // word: what `Sa`, `Ss` and so on abbreviate, as the typedef is called
        case expandedStandardName  // word: the same, in full
        case constructor  // a: class
        case destructor  // a: class
        case destroyed  // ~a in an expression
        case unnamedType  // text: number
        case closure  // list: see ItaniumParser.closureType
        case structuredBinding  // list: names
        case conversion  // a: type
        case literalOperator  // a: name
        case special  // word a
        case constructionTable  // a: type, b: in which
        case encoding  // list: result, name, attributes, constraint, parameters…; detail: qualifiers
        case enableIf  // list
        case objectParameter  // this a
        case suffixed  // a (text)

        // Types.
        case qualified  // a; detail: qualifiers
        case pointer  // a
        case reference  // a; detail 1: &&
        case memberPointer  // a: class, b: type
        case array  // a: element, b: dimension
        case function  // list: result, exception specification, parameters…; detail: qualifiers
        case vector  // a: element, b: dimension
        case pixelVector  // text: dimension
        case binaryFloat  // text: bits
        case bitInteger  // a: bits; detail 1: unsigned
        case fixedPoint  // a: the letter of its integer; detail 1: _Fract, 2: _Sat
        case elaborated  // word a
        case transformed  // a in text
        case vendorQualified  // a text
        case vendorArguments  // a: vendorQualified, b: its templateArguments
        case protocolQualified  // a<text>
        case suffixedType  // a word
        case noexceptIf  // a: expression
        case throwing  // list: types

        // Templates.
        case templateArguments  // list
        case pack  // list: what a parameter means
        case argumentPack  // list: what the arguments contain
        case expansion  // a
        case declaredArgument  // a: argument, b: its parameter's declaration
        case forwardReference  // a: index, b: argument once known, detail 1: being printed
        case inventedParameter  // word: $T and the like; a: index
        case typeParameter  // a: name
        case constrainedParameter  // a: name, b: constraint
        case valueParameter  // a: name, b: type
        case templateParameter  // list: name, constraint, parameters…
        case packParameter  // a

        // Expressions.
        case binary  // a operator b
        case subscripted  // a[b]
        case postfix  // a operator
        case prefix  // operator a
        case conditional  // a ? b : c
        case memberAccess  // a operator b
        case subobject  // list: expression, type, text's start and count
        case enclosing  // word (a)
        case cast  // word<a>(b)
        case sizeofPack  // a
        case call  // a(list); detail 1: (a)(list)
        case new  // list: type, count of placement arguments, these…, initialisers…; detail: flags
        case delete  // a; detail: flags
        case parameterReference  // text: number
        case converted  // (a)(list)
        case memberPointerConversion  // (a)(b)
        case initializerList  // a{list}
        case designated  // .a or [a] = b; detail 1: array
        case designatedRange  // [a ... b] = c
        case fold  // a: pack, b: initial value; detail: operator; c 1: left
        case thrown  // throw a
        case boolean  // detail
        case stringLiteral  // a: type
        case lambda  // a: closure
        case enumerator  // (a)text
        case integer  // text; word: its type's name or suffix
        case floatingPoint  // text; word: its type
        case requirements  // list: count of parameters, these…, requirements…
        case expressionRequirement  // a, b: constraint, detail 1: noexcept
        case typeRequirement  // a
        case nestedRequirement  // a
        case sequence  // list
    }

    /// Whether a type also has a part to the right of the name that it declares (`[3]`, `(char)`),
    /// and whether that makes it an array or a function, which need parentheses around `*` and `&`.
    /// Packs and forward references know only when they are printed.
    struct Shape: OptionSet {
        var rawValue: UInt8
        static let plain: Shape = []
        static let right = Shape(rawValue: 1)
        static let array = Shape(rawValue: 2)
        static let function = Shape(rawValue: 4)
        static let rightUnknown = Shape(rawValue: 8)
        static let arrayUnknown = Shape(rawValue: 16)
        static let functionUnknown = Shape(rawValue: 32)
        static let unknown = Shape(rawValue: 8 | 16 | 32)

        /// Only what concerns the right part: a pointer to an array is no array. (A literal of an array would be allocated.)
        var rightOnly: Shape { Shape(rawValue: rawValue & (Self.right.rawValue | Self.rightUnknown.rawValue)) }
    }
}

/// `const` and its kin on types and member functions, and the `&`, `&&` of member functions.
struct ItaniumQualifiers: OptionSet {
    var rawValue: UInt8
    static let const = ItaniumQualifiers(rawValue: 1)
    static let volatile = ItaniumQualifiers(rawValue: 2)
    static let restrict = ItaniumQualifiers(rawValue: 4)
    static let lvalue = ItaniumQualifiers(rawValue: 8)
    static let rvalue = ItaniumQualifiers(rawValue: 16)
}
