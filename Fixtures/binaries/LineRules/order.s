# Sequences in another order than their code, with space between them that no sequence covers; rows of line 0, which the compiler attributes to no
# line; two rows at one address, of which the last counts.
        .text
        .globl first
        .type first, @function
first:
        .skip 0x20, 0x90
        .size first, .-first
        .skip 0x10, 0xcc
        .globl second
        .type second, @function
second:
        .skip 0x20, 0x90
        .size second, .-second
        .globl third
        .type third, @function
third:
        .skip 0x20, 0x90
        .size third, .-third

        .include "unit.inc"
        unit "order.c", first, 0x70
        function "first", first, 0x20
        function "second", second, 0x20
        function "third", third, 0x20
        endunit

        header "order.c", 1, 1
        set_address third
        advance_line 29
        copy                            # third: line 30
        special 1, 8                    # third + 0x08: line 31
        special 3, 0                    # the same address: line 34
        advance_pc 24
        end_sequence
        set_address first
        advance_line 9
        copy                            # first: line 10
        advance_line -10
        special 0, 4                    # first + 0x04: line 0
        advance_line 12
        special 0, 4                    # first + 0x08: line 12
        advance_pc 24
        end_sequence
        set_address second
        advance_line 19
        copy                            # second: line 20
        special 1, 16                   # second + 0x10: line 21
        advance_pc 16
        end_sequence
        endlines
