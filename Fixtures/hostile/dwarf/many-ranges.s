# Two units. In the second, each of many functions has the same long list of ranges: a reader that goes through all of each list needs time by the product
# of both numbers. The first is as any other.
        .set    functions, 200000
        .set    ranges, 20000

        .text
        .globl  _start
_start: .fill   16, 1, 0x90
second: .fill   16, 1, 0x90

        .section .debug_abbrev, "", @progbits
        .uleb128 1
        .byte   0x11, 1                         # DW_TAG_compile_unit, with children
        .byte   0x11, 0x01, 0x12, 0x06, 0, 0    # DW_AT_low_pc: DW_FORM_addr; DW_AT_high_pc: DW_FORM_data4
        .uleb128 2
        .byte   0x2e, 0                         # DW_TAG_subprogram
        .byte   0x03, 0x08                      # DW_AT_name: DW_FORM_string
        .byte   0x11, 0x01, 0x12, 0x06, 0, 0
        .uleb128 3
        .byte   0x2e, 0                         # DW_TAG_subprogram
        .byte   0x55, 0x17, 0, 0                # DW_AT_ranges: DW_FORM_sec_offset
        .byte   0

        .section .debug_info, "", @progbits
        .long   2f - 1f
1:      .short  4                               # DWARF 4
        .long   0
        .byte   8
        .uleb128 1
        .quad   _start
        .long   16
        .uleb128 2
        .asciz  "first"
        .quad   _start
        .long   16
        .byte   0
2:
        .long   4f - 3f
3:      .short  4
        .long   0
        .byte   8
        .uleb128 1
        .quad   second
        .long   16
        .rept   functions
        .uleb128 3
        .long   0
        .endr
        .byte   0
4:
        .section .debug_ranges, "", @progbits
        .rept   ranges
        .quad   1, 2                            # beside the unit's code: counted from its first address
        .endr
        .quad   0, 0
