# Functions whose names are told by type units alone: their entries refer to a signature (DW_FORM_ref_sig8), which means the entry that the type unit's header
# names. The type units stand in `.debug_types` (DWARF 4), or with VERSION5 in `.debug_info`, before and behind the unit that refers to them.
        .text
read_gauge:
        .skip 0x10, 0x90
set_gauge:
        .skip 0x10, 0x90
reset_gauge:
        .skip 0x10, 0x90
lost_gauge:
        .skip 0x10, 0x90
end:

        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11                # compile_unit
        .byte 1
        .uleb128 0x03, 0x08             # name, string
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x12, 0x07             # high_pc, data8
        .uleb128 0, 0
        .uleb128 2, 0x2e                # subprogram
        .byte 1
        .uleb128 0x47, 0x20             # specification, ref_sig8
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x12, 0x0b             # high_pc, data1
        .uleb128 0, 0
        .uleb128 3, 0x1d                # inlined_subroutine
        .byte 0
        .uleb128 0x31, 0x20             # abstract_origin, ref_sig8
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x12, 0x0b             # high_pc, data1
        .uleb128 0, 0
        .uleb128 4, 0x41                # type_unit
        .byte 1
        .uleb128 0x13, 0x0b             # language, data1
        .uleb128 0, 0
        .uleb128 5, 0x2e                # subprogram
        .byte 0
        .uleb128 0x03, 0x08             # name, string
        .uleb128 0x6e, 0x08             # linkage_name, string
        .uleb128 0x3c, 0x19             # declaration, flag_present
        .uleb128 0, 0
        .uleb128 6, 0x2e                # subprogram
        .byte 0
        .uleb128 0x47, 0x13             # specification, ref4
        .uleb128 0, 0
        .byte 0

# typeunit NUMBER, SIGNATURE, NAME, LINKAGE_NAME: the header's offset leads to the second entry, whose specification is the first.
.macro typeunit number, signature, name, linkage
        .ifdef VERSION5
        .section .debug_info,"",@progbits
        .else
        .section .debug_types,"",@progbits
        .endif
.Ltype\number:
        .4byte .Ltype_end\number - .Ltype_begin\number
.Ltype_begin\number:
        .ifdef VERSION5
        .2byte 5
        .byte 2                         # DW_UT_type
        .byte 8
        .4byte .debug_abbrev
        .else
        .2byte 4
        .4byte .debug_abbrev
        .byte 8
        .endif
        .8byte \signature
        .4byte .Lmeant\number - .Ltype\number
        .uleb128 4
        .byte 4                         # DW_LANG_C_plus_plus
.Lnamed\number:
        .uleb128 5
        .asciz "\name"
        .asciz "\linkage"
.Lmeant\number:
        .uleb128 6
        .4byte .Lnamed\number - .Ltype\number
        .byte 0
.Ltype_end\number:
.endm

        typeunit 1, 0x1122334455667788, "read", "_ZN5Gauge4readEv"

        .section .debug_info,"",@progbits
        .4byte .Lunit_end - .Lunit_begin
.Lunit_begin:
        .ifdef VERSION5
        .2byte 5
        .byte 1                         # DW_UT_compile
        .byte 8
        .4byte .debug_abbrev
        .else
        .2byte 4
        .4byte .debug_abbrev
        .byte 8
        .endif
        .uleb128 1
        .asciz "gauge.cpp"
        .8byte read_gauge
        .8byte end - read_gauge
        .uleb128 2                      # Gauge::read()
        .8byte 0x1122334455667788
        .8byte read_gauge
        .byte 0x10
        .byte 0
        .uleb128 2                      # Gauge::set(int), with Gauge::read() inlined into its middle
        .8byte 0x8877665544332211
        .8byte set_gauge
        .byte 0x10
        .uleb128 3
        .8byte 0x1122334455667788
        .8byte set_gauge + 4
        .byte 8
        .byte 0
        .uleb128 2                      # Gauge::reset()
        .8byte 0xfedcba9876543210
        .8byte reset_gauge
        .byte 0x10
        .byte 0
        .uleb128 2                      # of a type unit that is not there
        .8byte 0x0123456789abcdef
        .8byte lost_gauge
        .byte 0x10
        .byte 0
        .byte 0
.Lunit_end:

        typeunit 2, 0x8877665544332211, "set", "_ZN5Gauge3setEi"
        typeunit 3, 0xfedcba9876543210, "reset", "_ZN5Gauge5resetEv"
