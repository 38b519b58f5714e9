/// The numbers of DWARF that the dumper decides by (DWARF 5, section 7.5 and 7.7, and GNU's extensions), under their own names.
enum Tag {
    static let arrayType: UInt16 = 0x01
    static let enumerationType: UInt16 = 0x04
    static let formalParameter: UInt16 = 0x05
    static let importedDeclaration: UInt16 = 0x08
    static let label: UInt16 = 0x0a
    static let lexicalBlock: UInt16 = 0x0b
    static let member: UInt16 = 0x0d
    static let pointerType: UInt16 = 0x0f
    static let referenceType: UInt16 = 0x10
    static let compileUnit: UInt16 = 0x11
    static let structureType: UInt16 = 0x13
    static let classType: UInt16 = 0x02
    static let subroutineType: UInt16 = 0x15
    static let unionType: UInt16 = 0x17
    static let unspecifiedParameters: UInt16 = 0x18
    static let inlinedSubroutine: UInt16 = 0x1d
    static let pointerToMemberType: UInt16 = 0x1f
    static let subrangeType: UInt16 = 0x21
    static let module: UInt16 = 0x1e
    static let baseType: UInt16 = 0x24
    static let constType: UInt16 = 0x26
    static let enumerator: UInt16 = 0x28
    static let subprogram: UInt16 = 0x2e
    static let templateTypeParameter: UInt16 = 0x2f
    static let templateValueParameter: UInt16 = 0x30
    static let variable: UInt16 = 0x34
    static let volatileType: UInt16 = 0x35
    static let namespace: UInt16 = 0x39
    static let unspecifiedType: UInt16 = 0x3b
    static let partialUnit: UInt16 = 0x3c
    static let typeUnit: UInt16 = 0x41
    static let rvalueReferenceType: UInt16 = 0x42
    static let callSite: UInt16 = 0x48
    static let callSiteParameter: UInt16 = 0x49
    static let skeletonUnit: UInt16 = 0x4a
    static let gnuTemplateTemplateParameter: UInt16 = 0x4106
    static let gnuTemplateParameterPack: UInt16 = 0x4107
    static let gnuCallSite: UInt16 = 0x4109
    static let gnuCallSiteParameter: UInt16 = 0x410a
    static let llvmPointerAuthentication: UInt16 = 0x4300

    /// Those of types, as LLVM counts them.
    static let types: Set<UInt16> = [
        0x01, 0x02, 0x04, 0x0f, 0x10, 0x12, 0x13, 0x15, 0x16, 0x17, 0x1f, 0x20, 0x21, 0x24, 0x26, 0x29, 0x2d, 0x31, 0x35, 0x37, 0x38, 0x3b,
        0x40, 0x42, 0x43, 0x44, 0x46, 0x47, 0x4b, 0x4300, 0xb001, 0xb002, 0xb003, 0xb004,
    ]
}

enum Attribute {
    static let sibling: UInt16 = 0x01
    static let location: UInt16 = 0x02
    static let name: UInt16 = 0x03
    static let ordering: UInt16 = 0x09
    static let byteSize: UInt16 = 0x0b
    static let statementList: UInt16 = 0x10
    static let lowPC: UInt16 = 0x11
    static let highPC: UInt16 = 0x12
    static let language: UInt16 = 0x13
    static let visibility: UInt16 = 0x17
    static let compilationDirectory: UInt16 = 0x1b
    static let constValue: UInt16 = 0x1c
    static let containingType: UInt16 = 0x1d
    static let inline: UInt16 = 0x20
    static let lowerBound: UInt16 = 0x22
    static let upperBound: UInt16 = 0x2f
    static let abstractOrigin: UInt16 = 0x31
    static let accessibility: UInt16 = 0x32
    static let artificial: UInt16 = 0x34
    static let callingConvention: UInt16 = 0x36
    static let count: UInt16 = 0x37
    static let declarationColumn: UInt16 = 0x39
    static let declarationFile: UInt16 = 0x3a
    static let declarationLine: UInt16 = 0x3b
    static let declaration: UInt16 = 0x3c
    static let encoding: UInt16 = 0x3e
    static let identifierCase: UInt16 = 0x42
    static let specification: UInt16 = 0x47
    static let type: UInt16 = 0x49
    static let virtuality: UInt16 = 0x4c
    static let entryPC: UInt16 = 0x52
    static let ranges: UInt16 = 0x55
    static let callColumn: UInt16 = 0x57
    static let callFile: UInt16 = 0x58
    static let callLine: UInt16 = 0x59
    static let decimalSign: UInt16 = 0x5e
    static let endianity: UInt16 = 0x65
    static let signature: UInt16 = 0x69
    static let linkageName: UInt16 = 0x6e
    static let stringOffsetsBase: UInt16 = 0x72
    static let addressBase: UInt16 = 0x73
    static let rangeListsBase: UInt16 = 0x74
    static let dwoName: UInt16 = 0x76
    static let reference: UInt16 = 0x77
    static let rvalueReference: UInt16 = 0x78
    static let callOrigin: UInt16 = 0x7f
    static let defaulted: UInt16 = 0x8b
    static let locationListsBase: UInt16 = 0x8c
    static let mipsLinkageName: UInt16 = 0x2007
    static let gnuTemplateName: UInt16 = 0x2110
    static let gnuDiscriminator: UInt16 = 0x2136
    static let gnuDWOName: UInt16 = 0x2130
    static let gnuDWOID: UInt16 = 0x2131
    static let gnuRangesBase: UInt16 = 0x2132
    static let gnuAddressBase: UInt16 = 0x2133
    static let appleRuntimeClass: UInt16 = 0x3fe6
    static let applePropertyAttribute: UInt16 = 0x3feb
    static let llvmPointerAuthenticationKey: UInt16 = 0x3e04

    /// Those by which a function says that its calls are told: `DW_AT_call_all_calls`, `call_all_source_calls`, `call_all_tail_calls`, and GNU's.
    static let tellsCalls: Set<UInt16> = [0x7a, 0x7b, 0x7c, 0x2116, 0x2117, 0x2118]
}

enum Form {
    static let addr: UInt16 = 0x01
    static let block2: UInt16 = 0x03
    static let block4: UInt16 = 0x04
    static let data2: UInt16 = 0x05
    static let data4: UInt16 = 0x06
    static let data8: UInt16 = 0x07
    static let string: UInt16 = 0x08
    static let block: UInt16 = 0x09
    static let block1: UInt16 = 0x0a
    static let data1: UInt16 = 0x0b
    static let flag: UInt16 = 0x0c
    static let sdata: UInt16 = 0x0d
    static let strp: UInt16 = 0x0e
    static let udata: UInt16 = 0x0f
    static let refAddr: UInt16 = 0x10
    static let ref1: UInt16 = 0x11
    static let ref2: UInt16 = 0x12
    static let ref4: UInt16 = 0x13
    static let ref8: UInt16 = 0x14
    static let refUdata: UInt16 = 0x15
    static let indirect: UInt16 = 0x16
    static let secOffset: UInt16 = 0x17
    static let exprloc: UInt16 = 0x18
    static let flagPresent: UInt16 = 0x19
    static let strx: UInt16 = 0x1a
    static let addrx: UInt16 = 0x1b
    static let refSup4: UInt16 = 0x1c
    static let strpSup: UInt16 = 0x1d
    static let data16: UInt16 = 0x1e
    static let lineStrp: UInt16 = 0x1f
    static let refSig8: UInt16 = 0x20
    static let implicitConst: UInt16 = 0x21
    static let loclistx: UInt16 = 0x22
    static let rnglistx: UInt16 = 0x23
    static let refSup8: UInt16 = 0x24
    static let strx1: UInt16 = 0x25
    static let strx2: UInt16 = 0x26
    static let strx3: UInt16 = 0x27
    static let strx4: UInt16 = 0x28
    static let addrx1: UInt16 = 0x29
    static let addrx2: UInt16 = 0x2a
    static let addrx3: UInt16 = 0x2b
    static let addrx4: UInt16 = 0x2c
    static let gnuAddrIndex: UInt16 = 0x1f01
    static let gnuStrIndex: UInt16 = 0x1f02
    static let gnuRefAlt: UInt16 = 0x1f20
    static let gnuStrpAlt: UInt16 = 0x1f21
    static let llvmAddrxOffset: UInt16 = 0x2001
}

enum UnitType {
    static let compile: UInt8 = 1
    static let type: UInt8 = 2
    static let partial: UInt8 = 3
    static let skeleton: UInt8 = 4
    static let splitCompile: UInt8 = 5
    static let splitType: UInt8 = 6
}
