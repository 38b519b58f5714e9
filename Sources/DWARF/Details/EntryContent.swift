internal import BinaryPrimitives

/// One entry with all its attributes, as they are: for lookups that concern few entries. (Walks
/// over many read no more than they need; see `EntryWalk`.)
struct EntryContent {
    private struct Item {
        var name: UInt16
        var value: AttributeValue
        /// The abbreviation holds the value (`DW_FORM_implicit_const`).
        var isImplicit: Bool
        /// Range of a block or an expression, in bytes from the unit's header.
        var block: Range<Int>
    }

    let tag: UInt16
    let hasChildren: Bool
    /// One past the last attribute, in bytes from the unit's header: where the first child is.
    let end: Int
    private var items: [Item] = []

    /// - Parameters:
    ///   - position: where the entry is, in bytes from the unit's header.
    ///   - bytes: the unit, from its header to its end.
    /// - Returns: `nil` where there is no entry (a zero ends the children before it), or where it
    ///   is damaged.
    init?(at position: Int, of unit: Unit, _ bytes: RawSpan) {
        guard position >= 0, var cursor = try? bytes.from(UInt64(position)), let code = try? cursor.readULEB128(), code != 0,
            let abbreviation = unit.abbreviations.abbreviation(code)
        else { return nil }
        tag = abbreviation.tag
        hasChildren = abbreviation.hasChildren
        for attribute in unit.abbreviations.attributes(of: abbreviation) {
            guard let raw = try? cursor.readRawValue(attribute.form, attribute.step, implicit: attribute.implicit, unit.sizes) else {
                return nil
            }
            let start = bytes.byteCount - raw.bytesBeforeEnd
            items.append(
                Item(
                    name: attribute.name, value: AttributeValue(raw), isImplicit: attribute.form == Form.implicitConst,
                    block: raw.isBlock ? start..<start + raw.count : 0..<0))
        }
        end = bytes.byteCount - cursor.byteCount
    }

    /// The attribute's value; `nil` if the entry has no such attribute.
    subscript(name: UInt16) -> AttributeValue? { items.first { $0.name == name }?.value }

    /// The abbreviation holds the attribute's value.
    func isImplicit(_ name: UInt16) -> Bool { items.first { $0.name == name }?.isImplicit ?? false }

    /// The range of the attribute's block or expression, in bytes from the unit's header; `nil` if it has none.
    func block(_ name: UInt16) -> Range<Int>? {
        guard let block = items.first(where: { $0.name == name })?.block, !block.isEmpty else { return nil }
        return block
    }
}

extension EntryContent {
    /// Gives the entry's children to `body`, in their order, each with its position; what is below
    /// them is passed over.
    func forEachChild(of unit: Unit, _ bytes: RawSpan, _ body: (EntryContent, Int) -> Void) {
        guard hasChildren else { return }
        var position = end
        var depth = 0
        while position < bytes.byteCount {
            if bytes.byte(at: position) == 0 {
                // A zero ends the children of the entry around it.
                if depth == 0 { return }
                depth -= 1
                position += 1
                continue
            }
            guard let child = EntryContent(at: position, of: unit, bytes) else { return }
            if depth == 0 { body(child, position) }
            position = child.end
            if child.hasChildren { depth += 1 }
        }
    }
}
