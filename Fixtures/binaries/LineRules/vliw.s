# A machine whose instructions of 16 bytes hold 3 operations, as Itanium's: rows count operations (section 6.2.5.1).
# The code is nothing but space: the rows are what is asked.
        .text
        .globl bundles
        .type bundles, @function
bundles:
        .skip 0x100, 0x90
        .size bundles, .-bundles

        .include "unit.inc"
        unit "vliw.c", bundles, 0x100
        function "bundles", bundles, 0x100
        endunit

        header "vliw.c", 16, 3
        set_address bundles
        advance_line 9
        copy                            # 0x00, operation 0: line 10
        special 1, 1                    # 0x00, operation 1: line 11
        special 1, 1                    # 0x00, operation 2: line 12, which an address means, being the last of its instruction
        special 1, 1                    # 0x10, operation 0: line 13
        special 1, 5                    # 5 operations: 0x20, operation 2: line 14
        const_add_pc                    # (255 - 13) / 12 = 20 operations: 2 + 20 = 22 = 7 * 3 + 1: 0x20 + 0x70 = 0x90, operation 1
        advance_line 86
        copy                            # 0x90: line 100
        advance_pc 8                    # 1 + 8 = 9: 0xc0, operation 0
        special -3, 0                   # line 97
        advance_pc 12                   # 0x100
        end_sequence
        endlines
