# Units that share one long table of abbreviations, each with the table's last one: a reader that reads the table anew for each unit needs
# time and memory by the product of both numbers.
        .set    units, 20000
        .set    abbreviations, 20000

        .text
        .globl  _start
_start: .fill   16, 1, 0x90

        .section .debug_abbrev, "", @progbits
        .set    code, 1
        .rept   abbreviations - 1
        .uleb128 code
        .byte   0x34, 0, 0, 0                   # DW_TAG_variable, no children, no attributes
        .set    code, code + 1
        .endr
        .uleb128 abbreviations
        .byte   0x11, 0                         # DW_TAG_compile_unit, no children
        .byte   0x11, 0x01, 0x12, 0x06, 0, 0    # DW_AT_low_pc: DW_FORM_addr; DW_AT_high_pc: DW_FORM_data4
        .byte   0

        .section .debug_info, "", @progbits
        .rept   units
        .long   2f - 1f
1:      .short  4                               # DWARF 4
        .long   0                               # the table
        .byte   8
        .uleb128 abbreviations
        .quad   _start
        .long   16
2:
        .endr
