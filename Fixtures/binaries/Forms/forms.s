# One unit of DWARF 5 that writes the same kinds of value in as many forms as the standard has (section 7.5.6), each function in others.
#
# Assembled for x86-64, and with BIG for 32-bit PowerPC in the 64-bit DWARF format: offsets of eight bytes beside addresses of four. No such machine has relocations
# of eight bytes, so offsets are distances from the first byte of their section.

        .ifdef BIG
        .macro address value
        .4byte \value
        .endm
        .macro offset value
        .8byte \value
        .endm
        .macro length first, last
        .4byte 0xffffffff
        .8byte \last - \first
        .endm
        .macro three value              # strx3, addrx3
        .byte 0, 0, \value
        .endm
        .set ADDRESS_SIZE, 4
        .else
        .macro address value
        .8byte \value
        .endm
        .macro offset value
        .4byte \value
        .endm
        .macro length first, last
        .4byte \last - \first
        .endm
        .macro three value
        .byte \value, 0, 0
        .endm
        .set ADDRESS_SIZE, 8
        .endif

        .text
        .irp name, f1, f2, f3, f4, f5, f6, f7, f8, f9
\name:
        .skip 0x20, 0
        .endr
end:

        .section .debug_abbrev,"",@progbits
# abbreviation CODE, TAG, CHILDREN; pairs of attribute and form follow, then two zeros.
        .macro abbreviation code, tag, children
        .uleb128 \code, \tag
        .byte \children
        .endm
        abbreviation 1, 0x11, 1         # compile_unit
        .uleb128 0x72, 0x17             # str_offsets_base, sec_offset
        .uleb128 0x73, 0x17             # addr_base
        .uleb128 0x74, 0x17             # rnglists_base
        .uleb128 0x8c, 0x17             # loclists_base
        .uleb128 0x03, 0x25             # name, strx1
        .uleb128 0x1b, 0x1f             # comp_dir, line_strp
        .uleb128 0x10, 0x17             # stmt_list, sec_offset
        .uleb128 0x55, 0x23             # ranges, rnglistx
        .uleb128 0, 0
        abbreviation 2, 0x2e, 0         # f1
        .uleb128 0x03, 0x25             # name, strx1
        .uleb128 0x11, 0x29             # low_pc, addrx1
        .uleb128 0x12, 0x0b             # high_pc, data1
        .uleb128 0, 0
        abbreviation 3, 0x2e, 0         # f2
        .uleb128 0x40, 0x18             # frame_base, exprloc
        .uleb128 0x03, 0x26             # name, strx2
        .uleb128 0x3a, 0x21             # decl_file, implicit_const
        .sleb128 1
        .uleb128 0x11, 0x2a             # low_pc, addrx2
        .uleb128 0x3b, 0x0d             # decl_line, sdata
        .uleb128 0x12, 0x05             # high_pc, data2
        .uleb128 0, 0
        abbreviation 4, 0x2e, 1         # f3
        .uleb128 0x03, 0x27             # name, strx3
        .uleb128 0x1c, 0x1e             # const_value, data16
        .uleb128 0x11, 0x2b             # low_pc, addrx3
        .uleb128 0x12, 0x0f             # high_pc, udata
        .uleb128 0, 0
        abbreviation 5, 0x34, 0         # variable
        .uleb128 0x03, 0x08             # name, string
        .uleb128 0x02, 0x22             # location, loclistx
        .uleb128 0x49, 0x20             # type, ref_sig8
        .uleb128 0, 0
        abbreviation 6, 0x2e, 0         # f4
        .uleb128 0x3f, 0x0c             # external, flag
        .uleb128 0x03, 0x28             # name, strx4
        .uleb128 0x11, 0x2c             # low_pc, addrx4
        .uleb128 0x3c, 0x19             # declaration, flag_present
        .uleb128 0x12, 0x06             # high_pc, data4
        .uleb128 0, 0
        abbreviation 7, 0x2e, 0         # f5
        .uleb128 0x03, 0x1a             # name, strx
        .uleb128 0x11, 0x1b             # low_pc, addrx
        .uleb128 0x12, 0x21             # high_pc, implicit_const
        .sleb128 0x20
        .uleb128 0, 0
        abbreviation 8, 0x2e, 0         # f6
        .uleb128 0x1c, 0x0a             # const_value, block1
        .uleb128 0x22, 0x03             # lower_bound, block2
        .uleb128 0x2f, 0x04             # upper_bound, block4
        .uleb128 0x1e, 0x09             # default_value, block
        .uleb128 0x03, 0x16             # name, indirect
        .uleb128 0x11, 0x16             # low_pc, indirect
        .uleb128 0x12, 0x16             # high_pc, indirect
        .uleb128 0, 0
        abbreviation 9, 0x2e, 1         # f7
        .uleb128 0x31, 0x11             # abstract_origin, ref1
        .uleb128 0x11, 0x01             # low_pc, addr
        .uleb128 0x12, 0x01             # high_pc, addr
        .uleb128 0, 0
        abbreviation 10, 0x1d, 1        # inlined_subroutine
        .uleb128 0x31, 0x12             # abstract_origin, ref2
        .uleb128 0x55, 0x17             # ranges, sec_offset
        .uleb128 0x58, 0x21             # call_file, implicit_const
        .sleb128 1
        .uleb128 0x59, 0x05             # call_line, data2
        .uleb128 0x57, 0x0b             # call_column, data1
        .uleb128 0, 0
        abbreviation 11, 0x1d, 0        # inlined_subroutine
        .uleb128 0x31, 0x14             # abstract_origin, ref8
        .uleb128 0x11, 0x1b             # low_pc, addrx
        .uleb128 0x12, 0x0b             # high_pc, data1
        .uleb128 0x58, 0x0b             # call_file, data1
        .uleb128 0x59, 0x0f             # call_line, udata
        .uleb128 0, 0
        abbreviation 12, 0x2e, 0        # f8
        .uleb128 0x47, 0x15             # specification, ref_udata
        .uleb128 0x11, 0x1b             # low_pc, addrx
        .uleb128 0x12, 0x07             # high_pc, data8
        .uleb128 0, 0
        abbreviation 13, 0x2e, 0        # f9
        .uleb128 0x31, 0x10             # abstract_origin, ref_addr
        .uleb128 0x11, 0x1b             # low_pc, addrx
        .uleb128 0x12, 0x0b             # high_pc, data1
        .uleb128 0, 0
        abbreviation 14, 0x2e, 0        # what the references mean
        .uleb128 0x03, 0x0e             # name, strp
        .uleb128 0x20, 0x0b             # inline, data1
        .uleb128 0, 0
        .uleb128 400, 0x2e              # a code that does not follow on the one before
        .byte 0
        .uleb128 0x03, 0x1f             # name, line_strp
        .uleb128 0x20, 0x0b             # inline, data1
        .uleb128 0, 0
        .byte 0

        .section .debug_info,"",@progbits
info:
        length 1f, .Lunit_end
1:
        .2byte 5
        .byte 1                         # DW_UT_compile
        .byte ADDRESS_SIZE
        offset 0
        .uleb128 1
        offset string_offsets - string_offsets_begin
        offset addresses - addresses_begin
        offset range_lists - range_lists_begin
        offset location_lists - location_lists_begin
        .byte 0
        offset 0
        offset 0
        .uleb128 0
.Lf7_origin:
        .uleb128 14
        offset .Lstring_f7 - strings
        .byte 1
        .uleb128 2                      # f1
        .byte 1
        .byte 0
        .byte 0x20
        .uleb128 3                      # f2
        .uleb128 1
        .byte 0x9c                      # DW_OP_call_frame_cfa
        .2byte 2
        .2byte 1
        .sleb128 -100
        .2byte 0x20
        .uleb128 4                      # f3
        three 3
        .fill 16, 1, 0xaa
        three 2
        .uleb128 0x20
        .uleb128 5
        .asciz "here"
        .uleb128 0
        .8byte 0x1122334455667788
        .byte 0
        .uleb128 6                      # f4
        .byte 1
        .4byte 4
        .4byte 3
        .4byte 0x20
        .uleb128 7                      # f5
        .uleb128 5
        .uleb128 4
        .uleb128 8                      # f6
        .byte 1, 0xaa
        .2byte 2
        .byte 0xaa, 0xaa
        .4byte 3
        .byte 0xaa, 0xaa, 0xaa
        .uleb128 4
        .byte 0xaa, 0xaa, 0xaa, 0xaa
        .uleb128 0x08                   # string
        .asciz "f6"
        .uleb128 0x01                   # addr
        address f6
        .uleb128 0x05                   # data2
        .2byte 0x20
        .uleb128 9                      # f7, with two calls inlined into it
        .byte .Lf7_origin - info
        address f7
        address f8
        .uleb128 10
        .2byte .Lmiddle_origin - info
        offset .Lrange_middle - range_lists_begin
        .2byte 300
        .byte 7
        .uleb128 11
        .8byte .Linner_origin - info
        .uleb128 9
        .byte 4
        .byte 1
        .uleb128 200
        .byte 0
        .byte 0
        .uleb128 12                     # f8
        .uleb128 .Lf8_origin - info
        .uleb128 7
        .8byte 0x20
        .uleb128 13                     # f9
        offset .Lf9_origin - info
        .uleb128 8
        .byte 0x20
.Lmiddle_origin:
        .uleb128 14
        offset .Lstring_middle - strings
        .byte 1
.Linner_origin:
        .uleb128 400
        offset .Lline_string_inner - line_strings
        .byte 1
.Lf8_origin:
        .uleb128 14
        offset .Lstring_f8 - strings
        .byte 0
.Lf9_origin:
        .uleb128 14
        offset .Lstring_f9 - strings
        .byte 0
        .byte 0
.Lunit_end:

        .section .debug_str,"MS",@progbits,1
strings:
        .asciz "never used"
.Lstring_file:
        .asciz "forms.c"
.Lstring_f1:
        .asciz "f1"
.Lstring_f2:
        .asciz "f2"
.Lstring_f3:
        .asciz "f3"
.Lstring_f4:
        .asciz "f4"
.Lstring_f5:
        .asciz "f5"
.Lstring_f7:
        .asciz "f7"
.Lstring_f8:
        .asciz "f8"
.Lstring_f9:
        .asciz "f9"
.Lstring_middle:
        .asciz "middle"

        .section .debug_line_str,"MS",@progbits,1
line_strings:
        .asciz "/src"
.Lline_string_include:
        .asciz "include"
.Lline_string_file:
        .asciz "forms.c"
.Lline_string_header:
        .asciz "forms.h"
.Lline_string_inner:
        .asciz "inner"

        .section .debug_str_offsets,"",@progbits
string_offsets_begin:
        length 1f, .Lstring_offsets_end
1:
        .2byte 5, 0
string_offsets:
        .irp name, file, f1, f2, f3, f4, f5
        offset .Lstring_\name - strings
        .endr
.Lstring_offsets_end:

        .section .debug_addr,"",@progbits
addresses_begin:
        length 1f, .Laddresses_end
1:
        .2byte 5
        .byte ADDRESS_SIZE, 0
addresses:
        .irp name, f1, f2, f3, f4, f5, f6, f7, f8, f9, f7 + 4, end
        address \name
        .endr
.Laddresses_end:

# Every kind of entry (section 7.25).
        .section .debug_rnglists,"",@progbits
range_lists_begin:
        length 1f, .Lrange_lists_end
1:
        .2byte 5
        .byte ADDRESS_SIZE, 0
        .4byte 1                        # one offset
range_lists:
        offset .Lrange_unit - range_lists
.Lrange_unit:
        .byte 1                         # base_addressx
        .uleb128 0
        .byte 4                         # offset_pair: f1, f2
        .uleb128 0, 0x40
        .byte 2                         # startx_endx: f3
        .uleb128 2, 3
        .byte 3                         # startx_length: f4
        .uleb128 3, 0x20
        .byte 5                         # base_address
        address f5
        .byte 4                         # offset_pair: f5
        .uleb128 0, 0x20
        .byte 6                         # start_end: f6
        address f6
        address f7
        .byte 7                         # start_length: f7 to f9
        address f7
        .uleb128 0x60
        .byte 0
.Lrange_middle:
        .byte 7                         # start_length
        address f7 + 4
        .uleb128 4
        .byte 2                         # startx_endx: nothing
        .uleb128 9, 9
        .byte 6                         # start_end
        address f7 + 0x10
        address f7 + 0x18
        .byte 0
.Lrange_lists_end:

        .section .debug_loclists,"",@progbits
location_lists_begin:
        length 1f, .Llocation_lists_end
1:
        .2byte 5
        .byte ADDRESS_SIZE, 0
        .4byte 1
location_lists:
        offset .Llocation - location_lists
.Llocation:
        .byte 0
.Llocation_lists_end:

# Files with an MD5 sum and a size, which nobody asks for and which have to be passed over; names and directories in several forms (section 6.2.4.1).
        .section .debug_line,"",@progbits
        length 1f, .Llines_end
1:
        .2byte 5
        .byte ADDRESS_SIZE, 0
        offset .Lprogram - .Lheader
.Lheader:
        .byte 1, 1, 1, -3, 12, 13
        .byte 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
        .byte 1                         # a directory is
        .uleb128 0x1, 0x1f              # its path, line_strp
        .uleb128 2
        offset 0
        offset .Lline_string_include - line_strings
        .byte 4                         # a file is
        .uleb128 0x5, 0x1e              # MD5, data16
        .uleb128 0x1, 0x1f              # its path, line_strp
        .uleb128 0x4, 0x0f              # its size, udata
        .uleb128 0x2, 0x0b              # its directory, data1
        .uleb128 2
        .fill 16, 1, 0x11
        offset .Lline_string_file - line_strings
        .uleb128 1000
        .byte 0
        .fill 16, 1, 0x22
        offset .Lline_string_header - line_strings
        .uleb128 2000
        .byte 1
.Lprogram:
        .byte 0, ADDRESS_SIZE + 1, 2    # set_address
        address f1
        .byte 4                         # set_file
        .uleb128 0
        .byte 3                         # advance_line
        .sleb128 99
        .byte 1                         # copy: f1, line 100
        .macro next line, operations    # a row so many bytes on
        .byte 2
        .uleb128 \operations
        .byte 0, 2, 4                   # set_discriminator
        .uleb128 3
        .byte 3
        .sleb128 \line
        .byte 1
        .endm
        next 10, 0x20                   # f2: 110
        next 10, 0x20                   # f3: 120
        next 10, 0x20                   # f4: 130
        next 10, 0x20                   # f5: 140
        next 10, 0x20                   # f6: 150
        next 10, 0x20                   # f7: 160
        .byte 4
        .uleb128 1
        .byte 5                         # set_column
        .uleb128 5
        next -150, 4                    # the calls inlined into f7: line 10 of the header
        .byte 4
        .uleb128 0
        .byte 5
        .uleb128 0
        next 155, 0x14                  # f7 again: 165
        next 5, 8                       # f8: 170
        next 10, 0x20                   # f9: 180
        .byte 2
        .uleb128 0x20
        .byte 0, 1, 1                   # end_sequence
.Llines_end:
