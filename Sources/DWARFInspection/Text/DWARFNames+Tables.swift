/// Names in expressions, line programs and the other tables (DWARF 5, sections 7.7 and 7.19 to 7.25).
extension DWARFNames {
    static let operations = DWARFNames(
        "DW_OP_",
        """
        3 addr  6 deref  8 const1u  9 const1s  a const2u  b const2s  c const4u  d const4s  e const8u  f const8s  10 constu
        11 consts  12 dup  13 drop  14 over  15 pick  16 swap  17 rot  18 xderef  19 abs  1a and  1b div  1c minus  1d mod  1e mul
        1f neg  20 not  21 or  22 plus  23 plus_uconst  24 shl  25 shr  26 shra  27 xor  28 bra  29 eq  2a ge  2b gt  2c le  2d lt
        2e ne  2f skip  30 lit0  31 lit1  32 lit2  33 lit3  34 lit4  35 lit5  36 lit6  37 lit7  38 lit8  39 lit9  3a lit10  3b lit11
        3c lit12  3d lit13  3e lit14  3f lit15  40 lit16  41 lit17  42 lit18  43 lit19  44 lit20  45 lit21  46 lit22  47 lit23
        48 lit24  49 lit25  4a lit26  4b lit27  4c lit28  4d lit29  4e lit30  4f lit31  50 reg0  51 reg1  52 reg2  53 reg3  54 reg4
        55 reg5  56 reg6  57 reg7  58 reg8  59 reg9  5a reg10  5b reg11  5c reg12  5d reg13  5e reg14  5f reg15  60 reg16  61 reg17
        62 reg18  63 reg19  64 reg20  65 reg21  66 reg22  67 reg23  68 reg24  69 reg25  6a reg26  6b reg27  6c reg28  6d reg29
        6e reg30  6f reg31  70 breg0  71 breg1  72 breg2  73 breg3  74 breg4  75 breg5  76 breg6  77 breg7  78 breg8  79 breg9
        7a breg10  7b breg11  7c breg12  7d breg13  7e breg14  7f breg15  80 breg16  81 breg17  82 breg18  83 breg19  84 breg20
        85 breg21  86 breg22  87 breg23  88 breg24  89 breg25  8a breg26  8b breg27  8c breg28  8d breg29  8e breg30  8f breg31
        90 regx  91 fbreg  92 bregx  93 piece  94 deref_size  95 xderef_size  96 nop  97 push_object_address  98 call2  99 call4
        9a call_ref  9b form_tls_address  9c call_frame_cfa  9d bit_piece  9e implicit_value  9f stack_value  a0 implicit_pointer
        a1 addrx  a2 constx  a3 entry_value  a4 const_type  a5 regval_type  a6 deref_type  a7 xderef_type  a8 convert
        a9 reinterpret  e0 GNU_push_tls_address  e1 HP_is_value  e2 HP_fltconst4  e3 HP_fltconst8  e4 HP_mod_range
        e5 HP_unmod_range  e6 HP_tls  e8 INTEL_bit_piece  e9 LLVM_user  ed WASM_location  ee WASM_location_int  f0 APPLE_uninit
        f3 GNU_entry_value  f8 PGI_omp_thread_num  fb GNU_addr_index  fc GNU_const_index
        """)

    static let lineStandard = DWARFNames(
        "DW_LNS_",
        """
        0 extended_op  1 copy  2 advance_pc  3 advance_line  4 set_file  5 set_column  6 negate_stmt  7 set_basic_block
        8 const_add_pc  9 fixed_advance_pc  a set_prologue_end  b set_epilogue_begin  c set_isa
        """)

    static let lineExtended = DWARFNames(
        "DW_LNE_",
        """
        1 end_sequence  2 set_address  3 define_file  4 set_discriminator
        """)

    static let contents = DWARFNames(
        "DW_LNCT_",
        """
        1 path  2 directory_index  3 timestamp  4 size  5 MD5  2001 LLVM_source
        """)

    static let rangeEntries = DWARFNames(
        "DW_RLE_",
        """
        0 end_of_list  1 base_addressx  2 startx_endx  3 startx_length  4 offset_pair  5 base_address  6 start_end  7 start_length
        """)

    static let locationEntries = DWARFNames(
        "DW_LLE_",
        """
        0 end_of_list  1 base_addressx  2 startx_endx  3 startx_length  4 offset_pair  5 default_location  6 base_address
        7 start_end  8 start_length
        """)

    static let macros = DWARFNames(
        "DW_MACRO_",
        """
        1 define  2 undef  3 start_file  4 end_file  5 define_strp  6 undef_strp  7 import  8 define_sup  9 undef_sup  a import_sup
        b define_strx  c undef_strx
        """)

    static let indexes = DWARFNames(
        "DW_IDX_",
        """
        1 compile_unit  2 type_unit  3 die_offset  4 parent  5 type_hash  2000 GNU_internal  2001 GNU_external
        """)

    static let frameInstructions = DWARFNames(
        "DW_CFA_",
        """
        0 nop  1 set_loc  2 advance_loc1  3 advance_loc2  4 advance_loc4  5 offset_extended  6 restore_extended  7 undefined
        8 same_value  9 register  a remember_state  b restore_state  c def_cfa  d def_cfa_register  e def_cfa_offset
        f def_cfa_expression  10 expression  11 offset_extended_sf  12 def_cfa_sf  13 def_cfa_offset_sf  14 val_offset
        15 val_offset_sf  16 val_expression  30 LLVM_def_aspace_cfa  31 LLVM_def_aspace_cfa_sf  40 advance_loc  80 offset
        c0 restore
        """)
}
