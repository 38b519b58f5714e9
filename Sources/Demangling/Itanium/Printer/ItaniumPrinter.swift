internal import BinaryPrimitives

/// Writes a C++ name's tree as LLVM's demangler spells it.
///
/// A type is written in two parts, around the name or the `*` that it belongs to: `left`, then
/// `right`.
struct ItaniumPrinter {
    typealias ID = ItaniumTree.ID

    let cursor: NameCursor
    var tree: ItaniumTree
    private(set) var output: NameOutput

    /// Which member of packs is being printed, and how many they have; `noPack` outside of
    /// expansions.
    var packIndex = noPack
    var packCount = noPack
    static let noPack = -1
    /// State of the template argument list that is being printed.
    var angles = Angles(isInside: false)

    struct Angles {
        var isInside: Bool
        /// How many parentheses are open inside of them, where `>` cannot be taken for their end.
        var parentheses = 0
    }

    /// The part that is being printed depends on the pack that is expanded around it.
    private var readsPack = false
    /// The part that is being printed has a node that is inside of itself, where it is not written again.
    private var hasCycle = false
    /// How many patterns are being printed that are taken back if their pack turns out to be empty.
    private var openPatterns = 0

    /// The name needs more text or work than the limits allow; nothing of it is used.
    private(set) var isExcessive = false
    private var depth = 0
    private var steps = 0
    private let depthLimit: Int
    private let lengthLimit: Int

    init(_ cursor: NameCursor, _ tree: ItaniumTree, limits: Limits) {
        self.cursor = cursor
        self.tree = tree
        depthLimit = limits.demanglingDepth
        lengthLimit = limits.nameLength
        output = NameOutput(capacity: cursor.bytes.count * 4 + 32)
    }

    /// The whole name; `nil` if it is excessive.
    mutating func text(of root: ID) -> String? {
        print(root)
        return isExcessive ? nil : output.string
    }

    // MARK: - Writing

    @inline(__always)
    mutating func put(_ text: StaticString) { output.append(text) }

    mutating func put(text: String) { output.append(text) }

    mutating func put(_ byte: UInt8) { output.append(byte) }

    @inline(__always)
    mutating func put(_ range: NameRange) { output.append(cursor.bytes, cursor.positions(range)) }

    /// A number as the grammar has it, with `n` for minus.
    mutating func putNumber(_ range: NameRange) {
        let isNegative = cursor.slice(range).first == UInt8(ascii: "n")
        if isNegative { put("-") }
        put(isNegative ? NameRange(start: range.start + 1, count: range.count - 1) : range)
    }

    var position: Int { output.count }

    /// Takes back what was written since `position`.
    mutating func erase(to position: Int) { output.erase(to: position) }

    /// In parentheses or the like, where `>` is an operator.
    @inline(__always)
    mutating func open(_ letter: Unicode.Scalar = "(") {
        if angles.isInside { angles.parentheses &+= 1 }
        put(UInt8(truncatingIfNeeded: letter.value))
    }

    @inline(__always)
    mutating func close(_ letter: Unicode.Scalar = ")") {
        if angles.isInside { angles.parentheses &-= 1 }
        put(UInt8(truncatingIfNeeded: letter.value))
    }

    // MARK: - Walking

    /// Both parts of a node; nothing for an absent one.
    mutating func print(_ id: ID) {
        guard id != ItaniumTree.none else { return }
        let node = tree[id]
        left(id, node)
        if !node.shape.rightOnly.isEmpty { right(id) }
    }

    /// An operand: in parentheses if it binds no more tightly than `precedence` (or, if
    /// `orAsTightly`, less tightly).
    mutating func operand(_ id: ID, _ precedence: ItaniumPrecedence = .loosest, orAsTightly: Bool = false) {
        guard id != ItaniumTree.none else { return }
        let own = tree[id].precedence
        let parenthesized = orAsTightly ? own > precedence : own >= precedence
        if parenthesized { open() }
        print(id)
        if parenthesized { close() }
    }

    /// Members with commas between, without those that come out empty, as empty packs do.
    mutating func list(_ members: NameRange, from first: Int = 0, to end: Int? = nil) {
        var isFirst = true
        var index = first
        let end = end ?? Int(members.count)
        while index < end {
            let before = position
            if !isFirst { put(", ") }
            let start = position
            operand(tree.member(members, index), .comma)
            if position == start { erase(to: before) } else { isFirst = false }
            index += 1
        }
    }

    /// Counts a step down; false where the limits end.
    private mutating func enter() -> Bool {
        depth &+= 1
        steps &+= 1
        // A step writes a few bytes; names that pile up empty packs would take for ever without
        // writing any.
        if depth > depthLimit || output.count > lengthLimit || steps > lengthLimit { isExcessive = true }
        return !isExcessive
    }

    @inline(never)
    mutating func left(_ id: ID) {
        guard id != ItaniumTree.none else { return }
        left(id, tree[id])
    }

    @inline(__always)
    private mutating func left(_ id: ID, _ node: ItaniumNode) {
        switch node.kind {
        case .identifier: put(node.range)
        case .fixed: put(node.word.text)
        default:
            if enter(), !copyWritten(id) { writeLeft(id, node) }
            depth &-= 1
        }
    }

    /// Writes a left part that was written before; false if it was not. Most of a long name are the same few types again and again.
    @inline(__always)
    private mutating func copyWritten(_ id: ID) -> Bool {
        let part = tree[id].written
        // In parentheses, `>` is written as it is.
        guard !part.isEmpty, angles.parentheses == 0 else { return false }
        let range = Int(part.start)..<Int(part.start) &+ Int(part.count)
        if output.count &+ range.count > lengthLimit { isExcessive = true } else { output.append(copyOf: range) }
        return true
    }

    /// Writes a left part, and notes where unless it would be another one elsewhere.
    private mutating func writeLeft(_ id: ID, _ node: ItaniumNode) {
        let outside = (readsPack, hasCycle)
        (readsPack, hasCycle) = (false, false)
        let start = position
        deepLeft(id, node)
        if !readsPack, !hasCycle, openPatterns == 0, angles.parentheses == 0, !isExcessive {
            tree[id].written = NameRange(start: Int32(truncatingIfNeeded: start), count: Int32(truncatingIfNeeded: position &- start))
        }
        readsPack = readsPack || outside.0
        hasCycle = hasCycle || outside.1
    }

    /// Notes that a node is not written because it is inside of itself.
    mutating func noteCycle() { hasCycle = true }

    /// Three functions rather than one: the stack frame of one with all kinds in it would be large,
    /// and names nest deeply.
    @inline(never)
    private mutating func deepLeft(_ id: ID, _ node: ItaniumNode) {
        if node.kind.rawValue <= ItaniumNode.Kind.suffixed.rawValue {
            name(node)
        } else if node.kind.rawValue <= ItaniumNode.Kind.packParameter.rawValue {
            typeLeft(id, node)
        } else {
            expression(node)
        }
    }

    mutating func right(_ id: ID) {
        guard id != ItaniumTree.none else { return }
        if enter() { typeRight(id, tree[id]) }
        depth &-= 1
    }

    /// Whether a type has what `known` says; checks its parts if `unknown` says that this depends
    /// on the pack that is being printed.
    mutating func has(_ known: ItaniumNode.Shape, _ unknown: ItaniumNode.Shape, _ id: ID) -> Bool {
        guard id != ItaniumTree.none else { return false }
        let node = tree[id]
        guard node.shape.contains(unknown) else { return node.shape.contains(known) }
        defer { depth &-= 1 }
        guard enter() else { return false }
        switch node.kind {
        case .qualified, .pointer, .reference:
            return has(known, unknown, node.a)
        case .memberPointer:
            return has(known, unknown, node.b)
        case .pack:
            guard let member = currentMember(of: node) else { return false }
            return has(known, unknown, member)
        case .forwardReference:
            guard node.detail == 0 else {
                noteCycle()
                return false
            }
            tree[id].detail = 1
            defer { tree[id].detail = 0 }
            return has(known, unknown, node.b)
        default:
            return false
        }
    }

    mutating func hasRight(_ id: ID) -> Bool { has(.right, .rightUnknown, id) }
    mutating func isArray(_ id: ID) -> Bool { has(.array, .arrayUnknown, id) }
    mutating func isFunction(_ id: ID) -> Bool { has(.function, .functionUnknown, id) }

    /// The member of a pack that is being printed. The first pack that is met inside of an
    /// expansion says how many there are.
    mutating func currentMember(of pack: ItaniumNode) -> ID? {
        readsPack = true
        if packCount == Self.noPack {
            packCount = Int(pack.c)
            packIndex = 0
        }
        guard packIndex < Int(pack.c) else { return nil }
        return tree.member(pack.range, packIndex)
    }

    /// A pattern for each member of the packs in it; `pattern...` if there is no pack.
    mutating func expansion(of pattern: ID) {
        let saved = (packIndex, packCount, readsPack)
        defer { (packIndex, packCount, readsPack) = saved }
        (packIndex, packCount) = (Self.noPack, Self.noPack)
        let start = position
        openPatterns &+= 1
        print(pattern)
        openPatterns &-= 1
        if packCount == Self.noPack {
            put("...")
        } else if packCount == 0 {
            erase(to: start)
        } else {
            var index = 1
            let count = packCount
            while index < count, !isExcessive {
                put(", ")
                packIndex = index
                print(pattern)
                index += 1
            }
        }
    }
}
