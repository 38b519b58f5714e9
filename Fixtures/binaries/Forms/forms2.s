# DWARF 2: a reference into another unit has the size of an address there (DW_FORM_ref_addr; version 3 made it that of an offset), and a linkage name is
# DW_AT_MIPS_linkage_name. Without symbols, the name stands in the other unit alone.
        .text
origin_elsewhere:
        .skip 0x10, 0x90
specified_elsewhere:
        .skip 0x10, 0x90
end:

        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11                # compile_unit
        .byte 1
        .uleb128 0x03, 0x08             # name, string
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x12, 0x01             # high_pc, addr
        .uleb128 0, 0
        .uleb128 2, 0x2e                # subprogram
        .byte 1
        .uleb128 0x31, 0x10             # abstract_origin, ref_addr
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x12, 0x01             # high_pc, addr
        .uleb128 0, 0
        .uleb128 3, 0x2e                # subprogram
        .byte 0
        .uleb128 0x47, 0x10             # specification, ref_addr
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x12, 0x01             # high_pc, addr
        .uleb128 0, 0
        .uleb128 4, 0x11                # compile_unit of declarations
        .byte 1
        .uleb128 0x03, 0x08             # name, string
        .uleb128 0, 0
        .uleb128 5, 0x2e                # subprogram
        .byte 0
        .uleb128 0x03, 0x08             # name, string
        .uleb128 0x2007, 0x08           # MIPS_linkage_name, string
        .uleb128 0, 0
        .uleb128 6, 0x1d                # inlined_subroutine
        .byte 0
        .uleb128 0x31, 0x10             # abstract_origin, ref_addr
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x12, 0x01             # high_pc, addr
        .uleb128 0, 0
        .byte 0

        .section .debug_info,"",@progbits
        .4byte .Lfirst_end - 1f
1:
        .2byte 2
        .4byte .debug_abbrev
        .byte 8
        .uleb128 4
        .asciz "declarations.cpp"
.Lorigin:
        .uleb128 5
        .asciz "pump"
        .asciz "_Z4pumpv"
.Lspecification:
        .uleb128 5
        .asciz "drain"
        .asciz "_Z5draini"
        .byte 0
.Lfirst_end:
        .4byte .Lsecond_end - 1f
1:
        .2byte 2
        .4byte .debug_abbrev
        .byte 8
        .uleb128 1
        .asciz "definitions.cpp"
        .8byte origin_elsewhere
        .8byte end
        .uleb128 2
        .8byte .Lorigin
        .8byte origin_elsewhere
        .8byte specified_elsewhere
        .uleb128 6
        .8byte .Lspecification
        .8byte origin_elsewhere + 4
        .8byte origin_elsewhere + 8
        .byte 0
        .uleb128 3
        .8byte .Lspecification
        .8byte specified_elsewhere
        .8byte end
        .byte 0
.Lsecond_end:
