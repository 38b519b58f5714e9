/// Values of attributes (DWARF 5, sections 7.8 to 7.17).
extension DWARFNames {
    static let languages = DWARFNames(
        "DW_LANG_",
        """
        1 C89  2 C  3 Ada83  4 C_plus_plus  5 Cobol74  6 Cobol85  7 Fortran77  8 Fortran90  9 Pascal83  a Modula2  b Java  c C99
        d Ada95  e Fortran95  f PLI  10 ObjC  11 ObjC_plus_plus  12 UPC  13 D  14 Python  15 OpenCL  16 Go  17 Modula3  18 Haskell
        19 C_plus_plus_03  1a C_plus_plus_11  1b OCaml  1c Rust  1d C11  1e Swift  1f Julia  20 Dylan  21 C_plus_plus_14
        22 Fortran03  23 Fortran08  24 RenderScript  25 BLISS  26 Kotlin  27 Zig  28 Crystal  2a C_plus_plus_17  2b C_plus_plus_20
        2c C17  2d Fortran18  2e Ada2005  2f Ada2012  30 HIP  31 Assembly  32 C_sharp  33 Mojo  34 GLSL  35 GLSL_ES  36 HLSL
        37 OpenCL_CPP  38 CPP_for_OpenCL  39 SYCL  40 Ruby  41 Move  42 Hylo  8001 Mips_Assembler  8e57 GOOGLE_RenderScript
        b000 BORLAND_Delphi
        """)

    static let encodings = DWARFNames(
        "DW_ATE_",
        """
        1 address  2 boolean  3 complex_float  4 float  5 signed  6 signed_char  7 unsigned  8 unsigned_char  9 imaginary_float
        a packed_decimal  b numeric_string  c edited  d signed_fixed  e unsigned_fixed  f decimal_float  10 UTF  11 UCS  12 ASCII
        81 HP_complex_float  82 HP_float128  83 HP_complex_float128  84 HP_floathpintel  85 HP_imaginary_float90
        86 HP_imaginary_float128
        """)

    static let conventions = DWARFNames(
        "DW_CC_",
        """
        1 normal  2 program  3 nocall  4 pass_by_reference  5 pass_by_value  40 GNU_renesas_sh  41 GNU_borland_fastcall_i386
        b0 BORLAND_safecall  b1 BORLAND_stdcall  b2 BORLAND_pascal  b3 BORLAND_msfastcall  b4 BORLAND_msreturn  b5 BORLAND_thiscall
        b6 BORLAND_fastcall  c0 LLVM_vectorcall  c1 LLVM_Win64  c2 LLVM_X86_64SysV  c3 LLVM_AAPCS  c4 LLVM_AAPCS_VFP
        c5 LLVM_IntelOclBicc  c6 LLVM_SpirFunction  c7 LLVM_OpenCLKernel  c8 LLVM_Swift  c9 LLVM_PreserveMost  ca LLVM_PreserveAll
        cb LLVM_X86RegCall  cc LLVM_M68kRTD  cd LLVM_PreserveNone  ce LLVM_RISCVVectorCall  cf LLVM_SwiftTail  ff GDB_IBM_OpenCL
        """)

    static let virtualities = DWARFNames(
        "DW_VIRTUALITY_",
        """
        0 none  1 virtual  2 pure_virtual
        """)

    static let defaulted = DWARFNames(
        "DW_DEFAULTED_",
        """
        0 no  1 in_class  2 out_of_class
        """)

    static let endianities = DWARFNames(
        "DW_END_",
        """
        0 default  1 big  2 little
        """)

    static let appleProperties = DWARFNames(
        "DW_APPLE_PROPERTY_",
        """
        1 readonly  2 getter  4 assign  8 readwrite  10 retain  20 copy  40 nonatomic  80 setter  100 atomic  200 weak  400 strong
        800 unsafe_unretained  1000 nullability  2000 null_resettable  4000 class
        """)
}

extension DWARFNames {
    static let accessibilities = DWARFNames("DW_ACCESS_", "1 public  2 protected  3 private")
    static let decimalSigns = DWARFNames(
        "DW_DS_", "1 unsigned  2 leading_overpunch  3 trailing_overpunch  4 leading_separate  5 trailing_separate")
    static let visibilities = DWARFNames("DW_VIS_", "1 local  2 exported  3 qualified")
    static let identifierCases = DWARFNames("DW_ID_", "0 case_sensitive  1 up_case  2 down_case  3 case_insensitive")
    static let inlineCodes = DWARFNames("DW_INL_", "0 not_inlined  1 inlined  2 declared_not_inlined  3 declared_inlined")
    static let orderings = DWARFNames("DW_ORD_", "0 row_major  1 col_major")
}
