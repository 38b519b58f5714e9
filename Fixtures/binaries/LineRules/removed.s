# What linkers leave of functions that they removed: their descriptions stay, at address 0 (GNU ld), -1 (ld.lld in DWARF) and -2 (in `.debug_ranges` and by others).
# The removed functions are larger than what lies before the code, and those at -1 and -2 reach around to it: believed, they would cover `kept`.
# With KEPT_ALONE there are none: the answers must be the same.
        .text
        .globl kept
        .type kept, @function
kept:
        .skip 0x40, 0x90
        .size kept, .-kept

        .include "unit.inc"
        unit "removed.c", kept, 0x40
        .ifndef KEPT_ALONE
        function "removed_to_zero", 0, 0x2000
        function "removed_to_minus_one", -1, 0x2000
        function "removed_to_minus_two", -2, 0x2000
        .endif
        function "kept", kept, 0x40
        .ifndef KEPT_ALONE
        function "removed_behind", 0, 0x2000
        .endif
        endunit

        header "removed.c", 1, 1
        .ifndef KEPT_ALONE
        set_address 0
        advance_line 99
        copy
        advance_pc 0x2000
        end_sequence
        set_address -1
        advance_line 199
        copy
        advance_pc 0x2000
        end_sequence
        .endif
        set_address kept
        special 6, 0                    # line 7
        special 1, 16                   # kept + 0x10: line 8
        advance_pc 0x30
        end_sequence
        .ifndef KEPT_ALONE
        set_address -2
        advance_line 299
        copy
        advance_pc 0x2000
        end_sequence
        set_address 0
        advance_line 399
        copy
        advance_pc 0x2000
        end_sequence
        .endif
        endlines
