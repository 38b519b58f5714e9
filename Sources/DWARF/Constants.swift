/// The numbers of the DWARF standard that the reader uses, by the standard's names without `DW_…_`.
/// Sources: DWARF 5 sections 7.5 and 7.22 to 7.25; GNU's extensions as gcc emits them.

/// `DW_TAG_*`, DWARF 5 table 7.3.
enum Tag {
    static let arrayType: UInt16 = 0x01
    static let classType: UInt16 = 0x02
    static let enumerationType: UInt16 = 0x04
    static let formalParameter: UInt16 = 0x05
    static let lexicalBlock: UInt16 = 0x0b
    static let pointerType: UInt16 = 0x0f
    static let referenceType: UInt16 = 0x10
    static let compileUnit: UInt16 = 0x11
    static let structureType: UInt16 = 0x13
    static let subroutineType: UInt16 = 0x15
    static let unionType: UInt16 = 0x17
    static let inlinedSubroutine: UInt16 = 0x1d
    static let module: UInt16 = 0x1e
    static let pointerToMemberType: UInt16 = 0x1f
    static let subrangeType: UInt16 = 0x21
    static let subprogram: UInt16 = 0x2e
    static let variable: UInt16 = 0x34
    static let interfaceType: UInt16 = 0x38
    static let namespace: UInt16 = 0x39
    static let partialUnit: UInt16 = 0x3c
    static let rvalueReferenceType: UInt16 = 0x42
    static let callSite: UInt16 = 0x48
    static let skeletonUnit: UInt16 = 0x4a
    /// `callSite` before DWARF 5.
    static let gnuCallSite: UInt16 = 0x4109
}

/// `DW_AT_*`, DWARF 5 table 7.5.
enum Attribute {
    static let sibling: UInt16 = 0x01
    static let location: UInt16 = 0x02
    static let name: UInt16 = 0x03
    static let byteSize: UInt16 = 0x0b
    static let stmtList: UInt16 = 0x10
    static let lowPC: UInt16 = 0x11
    static let highPC: UInt16 = 0x12
    static let compDir: UInt16 = 0x1b
    static let lowerBound: UInt16 = 0x22
    static let producer: UInt16 = 0x25
    static let upperBound: UInt16 = 0x2f
    static let abstractOrigin: UInt16 = 0x31
    static let count: UInt16 = 0x37
    static let declFile: UInt16 = 0x3a
    static let declLine: UInt16 = 0x3b
    static let frameBase: UInt16 = 0x40
    static let specification: UInt16 = 0x47
    static let type: UInt16 = 0x49
    static let entryPC: UInt16 = 0x52
    static let ranges: UInt16 = 0x55
    static let callColumn: UInt16 = 0x57
    static let callFile: UInt16 = 0x58
    static let callLine: UInt16 = 0x59
    static let linkageName: UInt16 = 0x6e
    static let callAllCalls: UInt16 = 0x7a
    static let callAllSourceCalls: UInt16 = 0x7b
    static let callReturnPC: UInt16 = 0x7d
    static let callOrigin: UInt16 = 0x7f
    static let callPC: UInt16 = 0x81
    static let callTailCall: UInt16 = 0x82
    static let callTarget: UInt16 = 0x83
    static let strOffsetsBase: UInt16 = 0x72
    static let addrBase: UInt16 = 0x73
    static let rnglistsBase: UInt16 = 0x74
    static let dwoName: UInt16 = 0x76
    static let loclistsBase: UInt16 = 0x8c
    /// What compilers wrote before DWARF 4 had `DW_AT_linkage_name`.
    static let mipsLinkageName: UInt16 = 0x2007
    /// GNU's call sites of before DWARF 5.
    static let gnuCallSiteTarget: UInt16 = 0x2113
    static let gnuTailCall: UInt16 = 0x2115
    static let gnuAllCallSites: UInt16 = 0x2117
    static let gnuAllSourceCallSites: UInt16 = 0x2118
    /// GNU's split units of DWARF 4, which version 5 took up with attributes of its own.
    static let gnuDwoName: UInt16 = 0x2130
    static let gnuDwoID: UInt16 = 0x2131
    static let gnuRangesBase: UInt16 = 0x2132
    static let gnuAddrBase: UInt16 = 0x2133
    /// Of the row that an inlined call was made of.
    static let gnuDiscriminator: UInt16 = 0x2136
    /// Where a variable's memory tag counts from (AArch64's memory tagging, by LLVM).
    static let llvmTagOffset: UInt16 = 0x3e03
}

/// `DW_FORM_*`, DWARF 5 table 7.6.
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
}

/// `DW_UT_*`, DWARF 5 table 7.2.
enum UnitKind {
    static let compile: UInt8 = 1
    static let type: UInt8 = 2
    static let partial: UInt8 = 3
    static let skeleton: UInt8 = 4
    static let splitCompile: UInt8 = 5
    static let splitType: UInt8 = 6
}

/// `DW_RLE_*`, DWARF 5 table 7.30.
enum RangeListEntry {
    static let endOfList: UInt8 = 0
    static let baseAddressx: UInt8 = 1
    static let startxEndx: UInt8 = 2
    static let startxLength: UInt8 = 3
    static let offsetPair: UInt8 = 4
    static let baseAddress: UInt8 = 5
    static let startEnd: UInt8 = 6
    static let startLength: UInt8 = 7
}

/// `DW_LLE_*`, DWARF 5 table 7.10.
enum LocationListEntry {
    static let endOfList: UInt8 = 0
    static let baseAddressx: UInt8 = 1
    static let startxEndx: UInt8 = 2
    static let startxLength: UInt8 = 3
    static let offsetPair: UInt8 = 4
    static let defaultLocation: UInt8 = 5
    static let baseAddress: UInt8 = 6
    static let startEnd: UInt8 = 7
    static let startLength: UInt8 = 8
}

/// `DW_OP_*`, DWARF 5 table 7.9.
enum Operation {
    static let addr: UInt8 = 0x03
    static let deref: UInt8 = 0x06
    static let plusConstant: UInt8 = 0x23
    static let lit0: UInt8 = 0x30
    static let reg0: UInt8 = 0x50
    static let reg31: UInt8 = 0x6f
    static let breg0: UInt8 = 0x70
    static let fbreg: UInt8 = 0x91
    static let addrx: UInt8 = 0xa1
}

/// `DW_LNS_*`, `DW_LNE_*` and `DW_LNCT_*`, DWARF 5 tables 7.25 to 7.27.
enum LineOpcode {
    static let copy: UInt8 = 1
    static let advancePC: UInt8 = 2
    static let advanceLine: UInt8 = 3
    static let setFile: UInt8 = 4
    static let setColumn: UInt8 = 5
    static let negateStatement: UInt8 = 6
    static let setBasicBlock: UInt8 = 7
    static let constAddPC: UInt8 = 8
    static let fixedAdvancePC: UInt8 = 9
    static let setPrologueEnd: UInt8 = 10
    static let setEpilogueBegin: UInt8 = 11
    static let setInstructionSet: UInt8 = 12

    static let extendedEndSequence: UInt8 = 1
    static let extendedSetAddress: UInt8 = 2
    static let extendedSetDiscriminator: UInt8 = 4

    static let contentPath: UInt64 = 1
    static let contentDirectoryIndex: UInt64 = 2
    /// The file's text itself, by LLVM (`-gembed-source`).
    static let contentSource: UInt64 = 0x2001
}
