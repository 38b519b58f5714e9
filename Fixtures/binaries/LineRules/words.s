# A machine whose instructions have 4 bytes: every advance but `fixed_advance_pc` counts instructions.
        .text
        .globl words
        .type words, @function
words:
        .skip 0x100, 0x90
        .size words, .-words

        .include "unit.inc"
        unit "words.c", words, 0x100
        function "words", words, 0x100
        endunit

        header "words.c", 4, 1
        set_address words
        special 4, 0                    # 0x00: line 5
        special 2, 3                    # 3 instructions: 0x0c: line 7
        advance_pc 5                    # 5 instructions: 0x20
        special -2, 0                   # line 5
        const_add_pc                    # 20 instructions: 0x70
        special 8, 0                    # line 13
        fixed_advance_pc 0x30           # bytes: 0xa0
        special -3, 1                   # 0xa4: line 10
        advance_pc 23                   # 0x100
        end_sequence
        endlines
