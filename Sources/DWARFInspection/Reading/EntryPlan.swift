internal import DWARF

/// The attributes that statistics count by.
enum FactKind: Int, CaseIterable {
    case sibling, location, name, lowPC, highPC, constValue, inline, abstractOrigin, artificial, declarationFile, declarationLine,
        declaration, specification, type, ranges, callFile, callLine, linkageName

    init?(attribute: UInt16) {
        switch attribute {
        case Attribute.sibling: self = .sibling
        case Attribute.location: self = .location
        case Attribute.name: self = .name
        case Attribute.lowPC: self = .lowPC
        case Attribute.highPC: self = .highPC
        case Attribute.constValue: self = .constValue
        case Attribute.inline: self = .inline
        case Attribute.abstractOrigin: self = .abstractOrigin
        case Attribute.artificial: self = .artificial
        case Attribute.declFile: self = .declarationFile
        case Attribute.declLine: self = .declarationLine
        case Attribute.declaration: self = .declaration
        case Attribute.specification: self = .specification
        case Attribute.type: self = .type
        case Attribute.ranges: self = .ranges
        case Attribute.callFile: self = .callFile
        case Attribute.callLine: self = .callLine
        case Attribute.linkageName, Attribute.mipsLinkageName: self = .linkageName
        default: return nil
        }
    }
}

/// How entries of one abbreviation are read: runs of bytes that are passed over, and values that
/// are kept.
struct EntryPlan {
    enum Step {
        case pass(SkipStep)
        case keep(FactKind, AttributeSpecification)
    }

    private(set) var steps: [Step] = []

    init(_ abbreviation: DumpAbbreviation) {
        var run = 0
        var kept: Set<FactKind> = []
        let keeps = Self.counted.contains(abbreviation.tag)
        for specification in abbreviation.specifications {
            // If an attribute occurs twice, the first counts.
            let fact = keeps ? FactKind(attribute: specification.name).flatMap { kept.insert($0).inserted ? $0 : nil } : nil
            if fact == nil, specification.step.code >= 0 {
                run += Int(specification.step.code)
                continue
            }
            if run > 0 { steps.append(.pass(.bytes(run))) }
            run = 0
            steps.append(fact.map { .keep($0, specification) } ?? .pass(specification.step))
        }
        if run > 0 { steps.append(.pass(.bytes(run))) }
    }

    /// The tags whose entries are looked at; all others are only passed over.
    private static let counted: Set<UInt16> = [
        Tag.subprogram, Tag.inlinedSubroutine, Tag.lexicalBlock, Tag.formalParameter, Tag.variable, Tag.member,
    ]
}
