internal import BinaryPrimitives

/// Reads names of Rust's own mangling (RFC 2603, “v0”), the default since Rust 1.95, and writes
/// them as it reads: they are in the order of their spelling. A method is named after the
/// production of the RFC's grammar that it reads.
///
/// Example: `_RNvNtCs3e2D_3std2io5write` is `std::io::write`.
///
/// Names are spelled as in the backtraces which Rust programs print of themselves, Rust's `{:#}`:
/// no crate hashes and no types of constants (`[u8; 8]`); LLVM's demangler spells the same, but
/// leaves names alone that have strings, structures or patterns in their constants. With hashes it
/// is Rust's `{}`: `std[3e2d]::io::write` and `[u8; 8usize]`.
struct RustV0Reader {
    var cursor: NameCursor
    /// Whether crates show their hash, and constants their type.
    let isFull: Bool
    /// Back-references count from here: after `_R`.
    private let start: Int

    private(set) var output: [UInt8] = []
    /// Parts that are read but not shown, such as the path of an implementation.
    private var isSilent = false
    /// How many lifetimes the binders around the current position have: the innermost is `'_` 1.
    var boundLifetimes = 0

    private var depth = 0
    private var steps = 0
    private let depthLimit: Int
    private let lengthLimit: Int

    /// - Parameter start: Position after `_R`.
    init(_ cursor: NameCursor, start: Int, isFull: Bool, limits: Limits) {
        self.cursor = cursor
        self.start = start
        self.isFull = isFull
        depthLimit = limits.demanglingDepth
        lengthLimit = limits.nameLength
        self.cursor.move(to: start)
        output.reserveCapacity(cursor.bytes.count * 2)
    }

    /// `<symbol-name> ::= _R <path> [<instantiating-crate>] [<vendor-suffix>]`; the suffix is left
    /// for the caller.
    mutating func symbolName() throws(Malformed) {
        try path(inValue: true)
        if case "A"..."Z" = cursor.next { try silently { reader throws(Malformed) in try reader.path(inValue: false) } }
    }

    // MARK: - Writing

    mutating func put(_ text: String) {
        if !isSilent { output.append(contentsOf: text.utf8) }
    }

    mutating func put(_ range: NameRange) {
        if !isSilent { output.append(contentsOf: cursor.slice(range)) }
    }

    mutating func silently(_ read: (inout Self) throws(Malformed) -> Void) throws(Malformed) {
        let saved = isSilent
        isSilent = true
        try read(&self)
        isSilent = saved
    }

    // MARK: - Limits

    /// Each production that may contain itself is read between `enter` and `leave`. Back-references
    /// can make a short name's text grow without end, and empty lists can need endless time without
    /// any text.
    mutating func enter() throws(Malformed) {
        depth &+= 1
        steps &+= 1
        guard depth <= depthLimit, output.count <= lengthLimit, steps <= lengthLimit else { throw Malformed() }
    }

    mutating func leave() { depth &-= 1 }

    // MARK: - Paths

    /// ```
    /// <path> ::= C <identifier>                              # crate
    ///        ::= M <impl-path> <type>                        # <T>
    ///        ::= X <impl-path> <type> <path>                 # <T as Trait>
    ///        ::= Y <type> <path>                             # <T as Trait>
    ///        ::= N <namespace> <path> <identifier>           # a::b
    ///        ::= I <path> <generic-arg>* E                   # a<T>
    ///        ::= <backref>
    /// ```
    /// - Parameter inValue: whether it is a function's, whose arguments follow `::`, or a type's.
    mutating func path(inValue: Bool) throws(Malformed) {
        try enter()
        defer { leave() }
        let letter = cursor.next
        cursor.skip()
        switch letter {
        case "C":
            let hash = try disambiguator()
            put(try identifier())
            if isFull && hash != 0 { put("[" + String(hash, radix: 16) + "]") }
        case "N":
            try nestedPath(inValue: inValue)
        case "M", "X", "Y":
            if letter != "Y" {
                _ = try disambiguator()
                try silently { reader throws(Malformed) in try reader.path(inValue: false) }
            }
            put("<")
            try type()
            if letter != "M" {
                put(" as ")
                try path(inValue: false)
            }
            put(">")
        case "I":
            try path(inValue: inValue)
            put(inValue ? "::<" : "<")
            _ = try list { reader throws(Malformed) in try reader.genericArgument() }
            put(">")
        case "B":
            try backReference { reader throws(Malformed) in try reader.path(inValue: inValue) }
        default:
            throw Malformed()
        }
    }

    /// Reads the part after `N`. Namespaces of a small letter (values, types) do not show; closures
    /// and shims have one of a capital letter and are counted.
    private mutating func nestedPath(inValue: Bool) throws(Malformed) {
        let namespace = cursor.next
        cursor.skip()
        let isCounted: Bool
        switch namespace {
        case "A"..."Z": isCounted = true
        case "a"..."z": isCounted = false
        default: throw Malformed()
        }
        try path(inValue: inValue)
        let number = try disambiguator()
        let name = try identifier()
        guard isCounted else {
            if !name.isEmpty { put("::" + name) }
            return
        }
        put("::{" + (namespace == "C" ? "closure" : namespace == "S" ? "shim" : String(Character(namespace))))
        if !name.isEmpty { put(":" + name) }
        put("#" + String(number) + "}")
    }

    /// `<generic-arg> ::= L <lifetime> | K <const> | <type>`
    mutating func genericArgument() throws(Malformed) {
        if cursor.consume("L") {
            try lifetime(try base62Number())
        } else if cursor.consume("K") {
            try constant(inValue: false)
        } else {
            try type()
        }
    }

    /// Members up to an `E`, with commas or the like between.
    /// - Returns: how many there were.
    mutating func list(_ separator: String = ", ", _ member: (inout Self) throws(Malformed) -> Void) throws(Malformed) -> Int {
        var count = 0
        while !cursor.consume("E") {
            steps &+= 1
            if count > 0 { put(separator) }
            try member(&self)
            count += 1
        }
        return count
    }

    /// `<backref> ::= B <base-62-number>`: reads the part at that position once more. It must lie
    /// before the reference.
    mutating func backReference(_ read: (inout Self) throws(Malformed) -> Void) throws(Malformed) {
        let reference = cursor.position - 1
        let target = start + (try base62Number())
        guard target < reference else { throw Malformed() }
        // Parts that are not shown need not be read a second time.
        if isSilent { return }
        let back = cursor.position
        cursor.move(to: target)
        try read(&self)
        cursor.move(to: back)
    }

    // MARK: - Identifiers and numbers

    /// `<identifier> ::= [u] <decimal-number> [_] <bytes>`; with `u` the bytes are Punycode.
    mutating func identifier() throws(Malformed) -> String {
        let isPunycode = cursor.consume("u")
        // A leading zero is the whole number.
        let length = cursor.consume("0") ? 0 : try cursor.readDecimal()
        _ = cursor.consume("_")
        let text = cursor.slice(try cursor.readBytes(length))
        guard isPunycode else { return String(decoding: text, as: UTF8.self) }
        guard let decoded = Punycode.decoded(text) else { throw Malformed() }
        return decoded
    }

    /// `<disambiguator> ::= s <base-62-number>`: 0 if absent, else one more than the number.
    mutating func disambiguator() throws(Malformed) -> UInt64 { try optionalNumber("s") }

    /// A letter and a number, one more than it; 0 if the letter is absent.
    mutating func optionalNumber(_ letter: Unicode.Scalar) throws(Malformed) -> UInt64 {
        guard cursor.consume(letter) else { return 0 }
        let (number, overflow) = try base62().addingReportingOverflow(1)
        guard !overflow else { throw Malformed() }
        return number
    }

    /// `<base-62-number> ::= <0-9a-zA-Z>* _`: `_` is 0, `0_` is 1.
    private mutating func base62() throws(Malformed) -> UInt64 {
        if cursor.consume("_") { return 0 }
        var value: UInt64 = 0
        while true {
            let digit: UInt64
            switch cursor.next {
            case "0"..."9": digit = UInt64(cursor.next.value - 48)
            case "a"..."z": digit = UInt64(cursor.next.value - 87)
            case "A"..."Z": digit = UInt64(cursor.next.value - 29)
            default: throw Malformed()
            }
            cursor.skip()
            let (product, first) = value.multipliedReportingOverflow(by: 62)
            let (sum, second) = product.addingReportingOverflow(digit)
            guard !first, !second else { throw Malformed() }
            value = sum
            if cursor.consume("_") { break }
        }
        let (number, overflow) = value.addingReportingOverflow(1)
        guard !overflow else { throw Malformed() }
        return number
    }

    /// Reads the number as a position or a count.
    mutating func base62Number() throws(Malformed) -> Int {
        guard let number = Int(exactly: try base62()), number <= 1 << 30 else { throw Malformed() }
        return number
    }
}
