/// Names of tags, attributes and forms (DWARF 5, sections 7.5.1 to 7.5.6, and the vendors' numbers that LLVM 19 knows).
extension DWARFNames {
    static let tags = DWARFNames(
        "DW_TAG_",
        """
        0 null  1 array_type  2 class_type  3 entry_point  4 enumeration_type  5 formal_parameter  8 imported_declaration  a label
        b lexical_block  d member  f pointer_type  10 reference_type  11 compile_unit  12 string_type  13 structure_type
        15 subroutine_type  16 typedef  17 union_type  18 unspecified_parameters  19 variant  1a common_block  1b common_inclusion
        1c inheritance  1d inlined_subroutine  1e module  1f ptr_to_member_type  20 set_type  21 subrange_type  22 with_stmt
        23 access_declaration  24 base_type  25 catch_block  26 const_type  27 constant  28 enumerator  29 file_type  2a friend
        2b namelist  2c namelist_item  2d packed_type  2e subprogram  2f template_type_parameter  30 template_value_parameter
        31 thrown_type  32 try_block  33 variant_part  34 variable  35 volatile_type  36 dwarf_procedure  37 restrict_type
        38 interface_type  39 namespace  3a imported_module  3b unspecified_type  3c partial_unit  3d imported_unit  3f condition
        40 shared_type  41 type_unit  42 rvalue_reference_type  43 template_alias  44 coarray_type  45 generic_subrange
        46 dynamic_type  47 atomic_type  48 call_site  49 call_site_parameter  4a skeleton_unit  4b immutable_type  4081 MIPS_loop
        4101 format_label  4102 function_template  4103 class_template  4104 GNU_BINCL  4105 GNU_EINCL
        4106 GNU_template_template_param  4107 GNU_template_parameter_pack  4108 GNU_formal_parameter_pack  4109 GNU_call_site
        410a GNU_call_site_parameter  4200 APPLE_property  4201 SUN_function_template  4202 SUN_class_template
        4203 SUN_struct_template  4204 SUN_union_template  4205 SUN_indirect_inheritance  4206 SUN_codeflags  4207 SUN_memop_info
        4208 SUN_omp_child_func  4209 SUN_rtti_descriptor  420a SUN_dtor_info  420b SUN_dtor  420c SUN_f90_interface
        420d SUN_fortran_vax_structure  42ff SUN_hi  4300 LLVM_ptrauth_type  5101 ALTIUM_circ_type  5102 ALTIUM_mwa_circ_type
        5103 ALTIUM_rev_carry_type  5111 ALTIUM_rom  6000 LLVM_annotation  8004 GHS_namespace  8005 GHS_using_namespace
        8006 GHS_using_declaration  8007 GHS_template_templ_param  8765 UPC_shared_type  8766 UPC_strict_type  8767 UPC_relaxed
        a000 PGI_kanji_type  a020 PGI_interface_block  b000 BORLAND_property  b001 BORLAND_Delphi_string
        b002 BORLAND_Delphi_dynamic_array  b003 BORLAND_Delphi_set  b004 BORLAND_Delphi_variant
        """)

    static let attributes = DWARFNames(
        "DW_AT_",
        """
        1 sibling  2 location  3 name  9 ordering  b byte_size  c bit_offset  d bit_size  10 stmt_list  11 low_pc  12 high_pc
        13 language  15 discr  16 discr_value  17 visibility  18 import  19 string_length  1a common_reference  1b comp_dir
        1c const_value  1d containing_type  1e default_value  20 inline  21 is_optional  22 lower_bound  25 producer  27 prototyped
        2a return_addr  2c start_scope  2e bit_stride  2f upper_bound  31 abstract_origin  32 accessibility  33 address_class
        34 artificial  35 base_types  36 calling_convention  37 count  38 data_member_location  39 decl_column  3a decl_file
        3b decl_line  3c declaration  3d discr_list  3e encoding  3f external  40 frame_base  41 friend  42 identifier_case
        43 macro_info  44 namelist_item  45 priority  46 segment  47 specification  48 static_link  49 type  4a use_location
        4b variable_parameter  4c virtuality  4d vtable_elem_location  4e allocated  4f associated  50 data_location  51 byte_stride
        52 entry_pc  53 use_UTF8  54 extension  55 ranges  56 trampoline  57 call_column  58 call_file  59 call_line  5a description
        5b binary_scale  5c decimal_scale  5d small  5e decimal_sign  5f digit_count  60 picture_string  61 mutable
        62 threads_scaled  63 explicit  64 object_pointer  65 endianity  66 elemental  67 pure  68 recursive  69 signature
        6a main_subprogram  6b data_bit_offset  6c const_expr  6d enum_class  6e linkage_name  6f string_length_bit_size
        70 string_length_byte_size  71 rank  72 str_offsets_base  73 addr_base  74 rnglists_base  75 dwo_id  76 dwo_name
        77 reference  78 rvalue_reference  79 macros  7a call_all_calls  7b call_all_source_calls  7c call_all_tail_calls
        7d call_return_pc  7e call_value  7f call_origin  80 call_parameter  81 call_pc  82 call_tail_call  83 call_target
        84 call_target_clobbered  85 call_data_location  86 call_data_value  87 noreturn  88 alignment  89 export_symbols
        8a deleted  8b defaulted  8c loclists_base  806 GHS_namespace_alias  807 GHS_using_namespace  808 GHS_using_declaration
        2001 MIPS_fde  2002 MIPS_loop_begin  2003 MIPS_tail_loop_begin  2004 MIPS_epilog_begin  2005 MIPS_loop_unroll_factor
        2006 MIPS_software_pipeline_depth  2007 MIPS_linkage_name  2008 MIPS_stride  2009 MIPS_abstract_name  200a MIPS_clone_origin
        200b MIPS_has_inlines  200c MIPS_stride_byte  200d MIPS_stride_elem  200e MIPS_ptr_dopetype  200f MIPS_allocatable_dopetype
        2010 MIPS_assumed_shape_dopetype  2011 MIPS_assumed_size  2012 HP_raw_data_ptr  2013 HP_pass_by_reference  2014 HP_opt_level
        2015 HP_prof_version_id  2016 HP_opt_flags  2017 HP_cold_region_low_pc  2018 HP_cold_region_high_pc
        2019 HP_all_variables_modifiable  201a HP_linkage_name  201b HP_prof_flags  201f HP_unit_name  2020 HP_unit_size
        2021 HP_widened_byte_size  2022 HP_definition_points  2023 HP_default_location  2026 DW_AT_INTEL_other_endian
        2029 HP_is_result_param  2083 GHS_rsm  2085 GHS_frsm  2086 GHS_frames  2087 GHS_rso  2092 GHS_subcpu  2093 GHS_lbrace_line
        2101 sf_names  2102 src_info  2103 mac_info  2104 src_coords  2105 body_begin  2106 body_end  2107 GNU_vector
        210f GNU_odr_signature  2110 GNU_template_name  2111 GNU_call_site_value  2112 GNU_call_site_data_value
        2113 GNU_call_site_target  2114 GNU_call_site_target_clobbered  2115 GNU_tail_call  2116 GNU_all_tail_call_sites
        2117 GNU_all_call_sites  2118 GNU_all_source_call_sites  2119 GNU_macros  211a GNU_deleted  2130 GNU_dwo_name
        2131 GNU_dwo_id  2132 GNU_ranges_base  2133 GNU_addr_base  2134 GNU_pubnames  2135 GNU_pubtypes  2136 GNU_discriminator
        2137 GNU_locviews  2138 GNU_entry_view  2201 SUN_template  2202 SUN_alignment  2203 SUN_vtable  2204 SUN_count_guarantee
        2205 SUN_command_line  2206 SUN_vbase  2207 SUN_compile_options  2208 SUN_language  2209 SUN_browser_file
        2210 SUN_vtable_abi  2211 SUN_func_offsets  2212 SUN_cf_kind  2213 SUN_vtable_index  2214 SUN_omp_tpriv_addr
        2215 SUN_omp_child_func  2216 SUN_func_offset  2217 SUN_memop_type_ref  2218 SUN_profile_id  2219 SUN_memop_signature
        2220 SUN_obj_dir  2221 SUN_obj_file  2222 SUN_original_name  2223 SUN_hwcprof_signature  2224 SUN_amd64_parmdump
        2225 SUN_part_link_name  2226 SUN_link_name  2227 SUN_pass_with_const  2228 SUN_return_with_const  2229 SUN_import_by_name
        222a SUN_90_pointer  222b SUN_pass_by_ref  222c SUN_f90_allocatable  222d SUN_f90_assumed_shape_array  222e SUN_c_vla
        2230 SUN_return_value_ptr  2231 SUN_dtor_start  2232 SUN_dtor_length  2233 SUN_dtor_state_initial  2234 SUN_dtor_state_final
        2235 SUN_dtor_state_deltas  2236 SUN_import_by_lname  2237 SUN_f90_use_only  2238 SUN_namelist_spec
        2239 SUN_is_omp_child_func  223a SUN_fortran_main_alias  223b SUN_fortran_based  2300 ALTIUM_loclist
        2301 use_GNAT_descriptive_type  2302 GNAT_descriptive_type  2303 GNU_numerator  2304 GNU_denominator  2305 GNU_bias
        2900 GO_kind  2901 GO_key  2902 GO_elem  2903 GO_embedded_field  2904 GO_runtime_type  3210 UPC_threads_scaled
        393e IBM_wsa_addr  393f IBM_home_location  3940 IBM_alt_srcview  3a00 PGI_lbase  3a01 PGI_soffset  3a02 PGI_lstride
        3b11 BORLAND_property_read  3b12 BORLAND_property_write  3b13 BORLAND_property_implements  3b14 BORLAND_property_index
        3b15 BORLAND_property_default  3b20 BORLAND_Delphi_unit  3b21 BORLAND_Delphi_class  3b22 BORLAND_Delphi_record
        3b23 BORLAND_Delphi_metaclass  3b24 BORLAND_Delphi_constructor  3b25 BORLAND_Delphi_destructor
        3b26 BORLAND_Delphi_anonymous_method  3b27 BORLAND_Delphi_interface  3b28 BORLAND_Delphi_ABI  3b29 BORLAND_Delphi_return
        3b30 BORLAND_Delphi_frameptr  3b31 BORLAND_closure  3e00 LLVM_include_path  3e01 LLVM_config_macros  3e02 LLVM_sysroot
        3e03 LLVM_tag_offset  3e04 LLVM_ptrauth_key  3e05 LLVM_ptrauth_address_discriminated  3e06 LLVM_ptrauth_extra_discriminator
        3e07 LLVM_apinotes  3e08 LLVM_ptrauth_isa_pointer  3e09 LLVM_ptrauth_authenticates_null_values
        3e0a LLVM_ptrauth_authentication_mode  3fe1 APPLE_optimized  3fe2 APPLE_flags  3fe3 APPLE_isa  3fe4 APPLE_block
        3fe5 APPLE_major_runtime_vers  3fe6 APPLE_runtime_class  3fe7 APPLE_omit_frame_ptr  3fe8 APPLE_property_name
        3fe9 APPLE_property_getter  3fea APPLE_property_setter  3feb APPLE_property_attribute  3fec APPLE_objc_complete_type
        3fed APPLE_property  3fee APPLE_objc_direct  3fef APPLE_sdk  3ff0 APPLE_origin
        """)

    static let forms = DWARFNames(
        "DW_FORM_",
        """
        1 addr  3 block2  4 block4  5 data2  6 data4  7 data8  8 string  9 block  a block1  b data1  c flag  d sdata  e strp
        f udata  10 ref_addr  11 ref1  12 ref2  13 ref4  14 ref8  15 ref_udata  16 indirect  17 sec_offset  18 exprloc
        19 flag_present  1a strx  1b addrx  1c ref_sup4  1d strp_sup  1e data16  1f line_strp  20 ref_sig8  21 implicit_const
        22 loclistx  23 rnglistx  24 ref_sup8  25 strx1  26 strx2  27 strx3  28 strx4  29 addrx1  2a addrx2  2b addrx3  2c addrx4
        1f01 GNU_addr_index  1f02 GNU_str_index  1f20 GNU_ref_alt  1f21 GNU_strp_alt  2001 LLVM_addrx_offset
        """)

    static let unitTypes = DWARFNames(
        "DW_UT_",
        """
        1 compile  2 type  3 partial  4 skeleton  5 split_compile  6 split_type
        """)
}
