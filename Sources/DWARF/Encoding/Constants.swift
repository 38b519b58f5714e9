/// The numbers of the DWARF standard that the reader uses, by the standard's names without `DW_…_`.
/// Sources: DWARF 5 sections 7.5 and 7.22 to 7.25; GNU's extensions as gcc emits them.

/// `DW_TAG_*`, DWARF 5 table 7.3.
package enum Tag {
    @inlinable @inline(__always) package static var arrayType: UInt16 { 0x01 }
    @inlinable @inline(__always) package static var classType: UInt16 { 0x02 }
    @inlinable @inline(__always) package static var enumerationType: UInt16 { 0x04 }
    @inlinable @inline(__always) package static var formalParameter: UInt16 { 0x05 }
    @inlinable @inline(__always) package static var importedDeclaration: UInt16 { 0x08 }
    @inlinable @inline(__always) package static var label: UInt16 { 0x0a }
    @inlinable @inline(__always) package static var lexicalBlock: UInt16 { 0x0b }
    @inlinable @inline(__always) package static var member: UInt16 { 0x0d }
    @inlinable @inline(__always) package static var pointerType: UInt16 { 0x0f }
    @inlinable @inline(__always) package static var referenceType: UInt16 { 0x10 }
    @inlinable @inline(__always) package static var compileUnit: UInt16 { 0x11 }
    @inlinable @inline(__always) package static var structureType: UInt16 { 0x13 }
    @inlinable @inline(__always) package static var subroutineType: UInt16 { 0x15 }
    @inlinable @inline(__always) package static var unionType: UInt16 { 0x17 }
    @inlinable @inline(__always) package static var unspecifiedParameters: UInt16 { 0x18 }
    @inlinable @inline(__always) package static var inlinedSubroutine: UInt16 { 0x1d }
    @inlinable @inline(__always) package static var module: UInt16 { 0x1e }
    @inlinable @inline(__always) package static var pointerToMemberType: UInt16 { 0x1f }
    @inlinable @inline(__always) package static var subrangeType: UInt16 { 0x21 }
    @inlinable @inline(__always) package static var baseType: UInt16 { 0x24 }
    @inlinable @inline(__always) package static var constType: UInt16 { 0x26 }
    @inlinable @inline(__always) package static var enumerator: UInt16 { 0x28 }
    @inlinable @inline(__always) package static var subprogram: UInt16 { 0x2e }
    @inlinable @inline(__always) package static var templateTypeParameter: UInt16 { 0x2f }
    @inlinable @inline(__always) package static var templateValueParameter: UInt16 { 0x30 }
    @inlinable @inline(__always) package static var variable: UInt16 { 0x34 }
    @inlinable @inline(__always) package static var volatileType: UInt16 { 0x35 }
    @inlinable @inline(__always) package static var interfaceType: UInt16 { 0x38 }
    @inlinable @inline(__always) package static var namespace: UInt16 { 0x39 }
    @inlinable @inline(__always) package static var unspecifiedType: UInt16 { 0x3b }
    @inlinable @inline(__always) package static var partialUnit: UInt16 { 0x3c }
    @inlinable @inline(__always) package static var typeUnit: UInt16 { 0x41 }
    @inlinable @inline(__always) package static var rvalueReferenceType: UInt16 { 0x42 }
    @inlinable @inline(__always) package static var callSite: UInt16 { 0x48 }
    @inlinable @inline(__always) package static var callSiteParameter: UInt16 { 0x49 }
    @inlinable @inline(__always) package static var skeletonUnit: UInt16 { 0x4a }
    @inlinable @inline(__always) package static var gnuTemplateTemplateParameter: UInt16 { 0x4106 }
    @inlinable @inline(__always) package static var gnuTemplateParameterPack: UInt16 { 0x4107 }
    /// `callSite` before DWARF 5.
    @inlinable @inline(__always) package static var gnuCallSite: UInt16 { 0x4109 }
    @inlinable @inline(__always) package static var gnuCallSiteParameter: UInt16 { 0x410a }
    @inlinable @inline(__always) package static var llvmPointerAuthentication: UInt16 { 0x4300 }
}

/// `DW_AT_*`, DWARF 5 table 7.5.
package enum Attribute {
    @inlinable @inline(__always) package static var sibling: UInt16 { 0x01 }
    @inlinable @inline(__always) package static var location: UInt16 { 0x02 }
    @inlinable @inline(__always) package static var name: UInt16 { 0x03 }
    @inlinable @inline(__always) package static var ordering: UInt16 { 0x09 }
    @inlinable @inline(__always) package static var byteSize: UInt16 { 0x0b }
    @inlinable @inline(__always) package static var stmtList: UInt16 { 0x10 }
    @inlinable @inline(__always) package static var lowPC: UInt16 { 0x11 }
    @inlinable @inline(__always) package static var highPC: UInt16 { 0x12 }
    @inlinable @inline(__always) package static var language: UInt16 { 0x13 }
    @inlinable @inline(__always) package static var visibility: UInt16 { 0x17 }
    @inlinable @inline(__always) package static var compDir: UInt16 { 0x1b }
    @inlinable @inline(__always) package static var constValue: UInt16 { 0x1c }
    @inlinable @inline(__always) package static var containingType: UInt16 { 0x1d }
    @inlinable @inline(__always) package static var inline: UInt16 { 0x20 }
    @inlinable @inline(__always) package static var lowerBound: UInt16 { 0x22 }
    @inlinable @inline(__always) package static var producer: UInt16 { 0x25 }
    @inlinable @inline(__always) package static var upperBound: UInt16 { 0x2f }
    @inlinable @inline(__always) package static var abstractOrigin: UInt16 { 0x31 }
    @inlinable @inline(__always) package static var accessibility: UInt16 { 0x32 }
    @inlinable @inline(__always) package static var artificial: UInt16 { 0x34 }
    @inlinable @inline(__always) package static var callingConvention: UInt16 { 0x36 }
    @inlinable @inline(__always) package static var count: UInt16 { 0x37 }
    @inlinable @inline(__always) package static var declColumn: UInt16 { 0x39 }
    @inlinable @inline(__always) package static var declFile: UInt16 { 0x3a }
    @inlinable @inline(__always) package static var declLine: UInt16 { 0x3b }
    @inlinable @inline(__always) package static var declaration: UInt16 { 0x3c }
    @inlinable @inline(__always) package static var encoding: UInt16 { 0x3e }
    @inlinable @inline(__always) package static var frameBase: UInt16 { 0x40 }
    @inlinable @inline(__always) package static var identifierCase: UInt16 { 0x42 }
    @inlinable @inline(__always) package static var specification: UInt16 { 0x47 }
    @inlinable @inline(__always) package static var type: UInt16 { 0x49 }
    @inlinable @inline(__always) package static var virtuality: UInt16 { 0x4c }
    @inlinable @inline(__always) package static var entryPC: UInt16 { 0x52 }
    @inlinable @inline(__always) package static var ranges: UInt16 { 0x55 }
    @inlinable @inline(__always) package static var callColumn: UInt16 { 0x57 }
    @inlinable @inline(__always) package static var callFile: UInt16 { 0x58 }
    @inlinable @inline(__always) package static var callLine: UInt16 { 0x59 }
    @inlinable @inline(__always) package static var decimalSign: UInt16 { 0x5e }
    @inlinable @inline(__always) package static var endianity: UInt16 { 0x65 }
    @inlinable @inline(__always) package static var signature: UInt16 { 0x69 }
    @inlinable @inline(__always) package static var linkageName: UInt16 { 0x6e }
    @inlinable @inline(__always) package static var strOffsetsBase: UInt16 { 0x72 }
    @inlinable @inline(__always) package static var addrBase: UInt16 { 0x73 }
    @inlinable @inline(__always) package static var rnglistsBase: UInt16 { 0x74 }
    @inlinable @inline(__always) package static var dwoName: UInt16 { 0x76 }
    @inlinable @inline(__always) package static var reference: UInt16 { 0x77 }
    @inlinable @inline(__always) package static var rvalueReference: UInt16 { 0x78 }
    @inlinable @inline(__always) package static var callAllCalls: UInt16 { 0x7a }
    @inlinable @inline(__always) package static var callAllSourceCalls: UInt16 { 0x7b }
    @inlinable @inline(__always) package static var callReturnPC: UInt16 { 0x7d }
    @inlinable @inline(__always) package static var callOrigin: UInt16 { 0x7f }
    @inlinable @inline(__always) package static var callPC: UInt16 { 0x81 }
    @inlinable @inline(__always) package static var callTailCall: UInt16 { 0x82 }
    @inlinable @inline(__always) package static var callTarget: UInt16 { 0x83 }
    @inlinable @inline(__always) package static var defaulted: UInt16 { 0x8b }
    @inlinable @inline(__always) package static var loclistsBase: UInt16 { 0x8c }
    /// Written by compilers before DWARF 4 had `DW_AT_linkage_name`.
    @inlinable @inline(__always) package static var mipsLinkageName: UInt16 { 0x2007 }
    @inlinable @inline(__always) package static var gnuTemplateName: UInt16 { 0x2110 }
    /// GNU's call sites of before DWARF 5.
    @inlinable @inline(__always) package static var gnuCallSiteTarget: UInt16 { 0x2113 }
    @inlinable @inline(__always) package static var gnuTailCall: UInt16 { 0x2115 }
    @inlinable @inline(__always) package static var gnuAllCallSites: UInt16 { 0x2117 }
    @inlinable @inline(__always) package static var gnuAllSourceCallSites: UInt16 { 0x2118 }
    /// GNU's split units of DWARF 4, which version 5 took up with attributes of its own.
    @inlinable @inline(__always) package static var gnuDwoName: UInt16 { 0x2130 }
    @inlinable @inline(__always) package static var gnuDwoID: UInt16 { 0x2131 }
    @inlinable @inline(__always) package static var gnuRangesBase: UInt16 { 0x2132 }
    @inlinable @inline(__always) package static var gnuAddrBase: UInt16 { 0x2133 }
    /// Discriminator of the row that an inlined call was made of.
    @inlinable @inline(__always) package static var gnuDiscriminator: UInt16 { 0x2136 }
    /// Base of a variable's memory tag (AArch64's memory tagging, by LLVM).
    @inlinable @inline(__always) package static var llvmTagOffset: UInt16 { 0x3e03 }
    @inlinable @inline(__always) package static var llvmPointerAuthenticationKey: UInt16 { 0x3e04 }
    @inlinable @inline(__always) package static var appleRuntimeClass: UInt16 { 0x3fe6 }
    @inlinable @inline(__always) package static var applePropertyAttribute: UInt16 { 0x3feb }
    /// Zig's: the namespace of a function.
    @inlinable @inline(__always) package static var zigParent: UInt16 { 0x2ccd }
}

/// `DW_FORM_*`, DWARF 5 table 7.6.
package enum Form {
    @inlinable @inline(__always) package static var addr: UInt16 { 0x01 }
    @inlinable @inline(__always) package static var block2: UInt16 { 0x03 }
    @inlinable @inline(__always) package static var block4: UInt16 { 0x04 }
    @inlinable @inline(__always) package static var data2: UInt16 { 0x05 }
    @inlinable @inline(__always) package static var data4: UInt16 { 0x06 }
    @inlinable @inline(__always) package static var data8: UInt16 { 0x07 }
    @inlinable @inline(__always) package static var string: UInt16 { 0x08 }
    @inlinable @inline(__always) package static var block: UInt16 { 0x09 }
    @inlinable @inline(__always) package static var block1: UInt16 { 0x0a }
    @inlinable @inline(__always) package static var data1: UInt16 { 0x0b }
    @inlinable @inline(__always) package static var flag: UInt16 { 0x0c }
    @inlinable @inline(__always) package static var sdata: UInt16 { 0x0d }
    @inlinable @inline(__always) package static var strp: UInt16 { 0x0e }
    @inlinable @inline(__always) package static var udata: UInt16 { 0x0f }
    @inlinable @inline(__always) package static var refAddr: UInt16 { 0x10 }
    @inlinable @inline(__always) package static var ref1: UInt16 { 0x11 }
    @inlinable @inline(__always) package static var ref2: UInt16 { 0x12 }
    @inlinable @inline(__always) package static var ref4: UInt16 { 0x13 }
    @inlinable @inline(__always) package static var ref8: UInt16 { 0x14 }
    @inlinable @inline(__always) package static var refUdata: UInt16 { 0x15 }
    @inlinable @inline(__always) package static var indirect: UInt16 { 0x16 }
    @inlinable @inline(__always) package static var secOffset: UInt16 { 0x17 }
    @inlinable @inline(__always) package static var exprloc: UInt16 { 0x18 }
    @inlinable @inline(__always) package static var flagPresent: UInt16 { 0x19 }
    @inlinable @inline(__always) package static var strx: UInt16 { 0x1a }
    @inlinable @inline(__always) package static var addrx: UInt16 { 0x1b }
    @inlinable @inline(__always) package static var refSup4: UInt16 { 0x1c }
    @inlinable @inline(__always) package static var strpSup: UInt16 { 0x1d }
    @inlinable @inline(__always) package static var data16: UInt16 { 0x1e }
    @inlinable @inline(__always) package static var lineStrp: UInt16 { 0x1f }
    @inlinable @inline(__always) package static var refSig8: UInt16 { 0x20 }
    @inlinable @inline(__always) package static var implicitConst: UInt16 { 0x21 }
    @inlinable @inline(__always) package static var loclistx: UInt16 { 0x22 }
    @inlinable @inline(__always) package static var rnglistx: UInt16 { 0x23 }
    @inlinable @inline(__always) package static var refSup8: UInt16 { 0x24 }
    @inlinable @inline(__always) package static var strx1: UInt16 { 0x25 }
    @inlinable @inline(__always) package static var strx2: UInt16 { 0x26 }
    @inlinable @inline(__always) package static var strx3: UInt16 { 0x27 }
    @inlinable @inline(__always) package static var strx4: UInt16 { 0x28 }
    @inlinable @inline(__always) package static var addrx1: UInt16 { 0x29 }
    @inlinable @inline(__always) package static var addrx2: UInt16 { 0x2a }
    @inlinable @inline(__always) package static var addrx3: UInt16 { 0x2b }
    @inlinable @inline(__always) package static var addrx4: UInt16 { 0x2c }
    @inlinable @inline(__always) package static var gnuAddrIndex: UInt16 { 0x1f01 }
    @inlinable @inline(__always) package static var gnuStrIndex: UInt16 { 0x1f02 }
    @inlinable @inline(__always) package static var gnuRefAlt: UInt16 { 0x1f20 }
    @inlinable @inline(__always) package static var gnuStrpAlt: UInt16 { 0x1f21 }
    @inlinable @inline(__always) package static var llvmAddrxOffset: UInt16 { 0x2001 }
}

/// `DW_UT_*`, DWARF 5 table 7.2.
package enum UnitKind {
    @inlinable @inline(__always) package static var compile: UInt8 { 1 }
    @inlinable @inline(__always) package static var type: UInt8 { 2 }
    @inlinable @inline(__always) package static var partial: UInt8 { 3 }
    @inlinable @inline(__always) package static var skeleton: UInt8 { 4 }
    @inlinable @inline(__always) package static var splitCompile: UInt8 { 5 }
    @inlinable @inline(__always) package static var splitType: UInt8 { 6 }
}

/// `DW_RLE_*`, DWARF 5 table 7.30.
package enum RangeListEntry {
    @inlinable @inline(__always) package static var endOfList: UInt8 { 0 }
    @inlinable @inline(__always) package static var baseAddressx: UInt8 { 1 }
    @inlinable @inline(__always) package static var startxEndx: UInt8 { 2 }
    @inlinable @inline(__always) package static var startxLength: UInt8 { 3 }
    @inlinable @inline(__always) package static var offsetPair: UInt8 { 4 }
    @inlinable @inline(__always) package static var baseAddress: UInt8 { 5 }
    @inlinable @inline(__always) package static var startEnd: UInt8 { 6 }
    @inlinable @inline(__always) package static var startLength: UInt8 { 7 }
}

/// `DW_LLE_*`, DWARF 5 table 7.10.
package enum LocationListEntry {
    @inlinable @inline(__always) package static var endOfList: UInt8 { 0 }
    @inlinable @inline(__always) package static var baseAddressx: UInt8 { 1 }
    @inlinable @inline(__always) package static var startxEndx: UInt8 { 2 }
    @inlinable @inline(__always) package static var startxLength: UInt8 { 3 }
    @inlinable @inline(__always) package static var offsetPair: UInt8 { 4 }
    @inlinable @inline(__always) package static var defaultLocation: UInt8 { 5 }
    @inlinable @inline(__always) package static var baseAddress: UInt8 { 6 }
    @inlinable @inline(__always) package static var startEnd: UInt8 { 7 }
    @inlinable @inline(__always) package static var startLength: UInt8 { 8 }
}

/// `DW_OP_*`, DWARF 5 table 7.9.
package enum Operation {
    @inlinable @inline(__always) package static var addr: UInt8 { 0x03 }
    @inlinable @inline(__always) package static var deref: UInt8 { 0x06 }
    @inlinable @inline(__always) package static var const1u: UInt8 { 0x08 }
    @inlinable @inline(__always) package static var const2u: UInt8 { 0x0a }
    @inlinable @inline(__always) package static var const4u: UInt8 { 0x0c }
    @inlinable @inline(__always) package static var const8u: UInt8 { 0x0e }
    @inlinable @inline(__always) package static var constu: UInt8 { 0x10 }
    @inlinable @inline(__always) package static var plus: UInt8 { 0x22 }
    @inlinable @inline(__always) package static var plusConstant: UInt8 { 0x23 }
    @inlinable @inline(__always) package static var lit0: UInt8 { 0x30 }
    @inlinable @inline(__always) package static var reg0: UInt8 { 0x50 }
    @inlinable @inline(__always) package static var reg31: UInt8 { 0x6f }
    @inlinable @inline(__always) package static var breg0: UInt8 { 0x70 }
    @inlinable @inline(__always) package static var fbreg: UInt8 { 0x91 }
    @inlinable @inline(__always) package static var addrx: UInt8 { 0xa1 }
    /// GNU's split DWARF 4.
    @inlinable @inline(__always) package static var gnuAddrIndex: UInt8 { 0xfb }
}

/// `DW_LNS_*`, `DW_LNE_*` and `DW_LNCT_*`, DWARF 5 tables 7.25 to 7.27.
package enum LineOpcode {
    @inlinable @inline(__always) package static var copy: UInt8 { 1 }
    @inlinable @inline(__always) package static var advancePC: UInt8 { 2 }
    @inlinable @inline(__always) package static var advanceLine: UInt8 { 3 }
    @inlinable @inline(__always) package static var setFile: UInt8 { 4 }
    @inlinable @inline(__always) package static var setColumn: UInt8 { 5 }
    @inlinable @inline(__always) package static var negateStatement: UInt8 { 6 }
    @inlinable @inline(__always) package static var setBasicBlock: UInt8 { 7 }
    @inlinable @inline(__always) package static var constAddPC: UInt8 { 8 }
    @inlinable @inline(__always) package static var fixedAdvancePC: UInt8 { 9 }
    @inlinable @inline(__always) package static var setPrologueEnd: UInt8 { 10 }
    @inlinable @inline(__always) package static var setEpilogueBegin: UInt8 { 11 }
    @inlinable @inline(__always) package static var setInstructionSet: UInt8 { 12 }

    @inlinable @inline(__always) package static var extendedEndSequence: UInt8 { 1 }
    @inlinable @inline(__always) package static var extendedSetAddress: UInt8 { 2 }
    /// Versions before 5.
    @inlinable @inline(__always) package static var extendedDefineFile: UInt8 { 3 }
    @inlinable @inline(__always) package static var extendedSetDiscriminator: UInt8 { 4 }

    @inlinable @inline(__always) package static var contentPath: UInt64 { 1 }
    @inlinable @inline(__always) package static var contentDirectoryIndex: UInt64 { 2 }
    /// The file's text itself, by LLVM (`-gembed-source`).
    @inlinable @inline(__always) package static var contentSource: UInt64 { 0x2001 }
}
