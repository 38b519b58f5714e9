# A function whose sibling is itself (DW_AT_sibling), so that a reader which goes from each to its next does not come to an end.
        .text
        .globl  _start
_start: .fill   16, 1, 0x90

        .section .debug_abbrev, "", @progbits
        .uleb128 1
        .byte   0x11, 1                         # DW_TAG_compile_unit, with children
        .byte   0x11, 0x01, 0x12, 0x06, 0, 0    # DW_AT_low_pc: DW_FORM_addr; DW_AT_high_pc: DW_FORM_data4
        .uleb128 2
        .byte   0x2e, 1                         # DW_TAG_subprogram, with children
        .byte   0x01, 0x13                      # DW_AT_sibling: DW_FORM_ref4
        .byte   0x03, 0x08                      # DW_AT_name: DW_FORM_string
        .byte   0x11, 0x01, 0x12, 0x06, 0, 0
        .byte   0

        .section .debug_info, "", @progbits
unit:   .long   2f - 1f
1:      .short  4                               # DWARF 4
        .long   0
        .byte   8
        .uleb128 1
        .quad   _start
        .long   16
itself: .uleb128 2
        .long   itself - unit
        .asciz  "first"
        .quad   _start
        .long   16
        .byte   0                               # the end of its children
        .byte   0                               # the end of the unit's
2:
