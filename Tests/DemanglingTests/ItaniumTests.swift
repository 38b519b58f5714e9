import BinaryPrimitives
import Demangling
import TestSupport
import Testing

struct ItaniumTests {
    /// Expected names are those of LLVM 21's `llvm-nm --demangle`, from an object file with these
    /// symbols.
    // swift-format-ignore: one name a line.
    static let names: [(mangled: String, plain: String)] = [
        // Plain functions, variables, namespaces.
        ("_Z3foov", "foo()"),
        ("_Z3fooiPKcz", "foo(int, char const*, ...)"),
        ("_ZN4shop5Order5totalEv", "shop::Order::total()"),
        ("_ZNK4shop5Order5totalERKS0_i", "shop::Order::total(shop::Order const&, int) const"),
        ("_ZN12_GLOBAL__N_16helperEv", "(anonymous namespace)::helper()"),
        ("_ZL8internali", "internal(int)"),
        ("_ZN4shopL8internalE", "shop::internal"),
        ("_ZSt4cout", "std::cout"),
        ("_ZNSt8ios_base4InitC1Ev", "std::ios_base::Init::Init()"),
        ("_Z4mainiPPc.cold", "main(int, char**) (.cold)"),
        ("_Z3foov.isra.0.part.1", "foo() (.isra.0.part.1)"),
        ("_Z3foov.llvm.123", "foo() (.llvm.123)"),
        ("_ZGVZ3foovE1x.1", "guard variable for foo()::x (.1)"),
        // Constructors, destructors, conversions, operators.
        ("_ZN5OrderC1Ev", "Order::Order()"),
        ("_ZN5OrderC2ERKS_", "Order::Order(Order const&)"),
        ("_ZN5OrderC4Ev", "Order::Order()"),
        ("_ZN5OrderCI24BaseEi", "Order::Order(int)"),
        ("_ZN5OrderD0Ev", "Order::~Order()"),
        ("_ZN5OrderD1Ev", "Order::~Order()"),
        ("_ZN5OrderD5Ev", "Order::~Order()"),
        ("_ZNK5OrdercvbEv", "Order::operator bool() const"),
        ("_ZNK5OrdercvPFivEEv", "Order::operator int (*)()() const"),
        ("_ZN5OrdercvT_IiEEv", "Order::operator int<int>()"),
        ("_ZN5OrdercvRT_IA3_iEEv", "Order::operator int (&) [3]<int [3]>()"),
        ("_ZN5OrdercvPT_IJFivEEEEv", "Order::operator int (*)()<int ()>()"),
        ("_ZN5OrderplERKS_", "Order::operator+(Order const&)"),
        ("_ZN5OrderixEm", "Order::operator[](unsigned long)"),
        ("_ZN5OrderclEii", "Order::operator()(int, int)"),
        ("_ZN5OrderptEv", "Order::operator->()"),
        ("_ZN5OrderpmEi", "Order::operator->*(int)"),
        ("_ZN5OrdernwEm", "Order::operator new(unsigned long)"),
        ("_ZN5OrderdaEPv", "Order::operator delete[](void*)"),
        ("_ZN5OrderawEv", "Order::operator co_await()"),
        ("_ZN5OrderssERKS_", "Order::operator<=>(Order const&)"),
        ("_Zli3_kmy", "operator\"\" _km(unsigned long long)"),
        ("_Zv13quxii", "operator qux(int, int)"),
        // Names that the compiler makes.
        ("_ZTV5Order", "vtable for Order"),
        ("_ZTT5Order", "VTT for Order"),
        ("_ZTI5Order", "typeinfo for Order"),
        ("_ZTSN4shop5OrderE", "typeinfo name for shop::Order"),
        ("_ZTIPKc", "typeinfo for char const*"),
        ("_ZTC5Order16_4Base", "construction vtable for Base-in-Order"),
        ("_ZThn16_N5Order5totalEv", "non-virtual thunk to Order::total()"),
        ("_ZTv0_n24_N5Order5totalEv", "virtual thunk to Order::total()"),
        ("_ZTch0_h16_N5Order5cloneEv", "covariant return thunk to Order::clone()"),
        ("_ZTW5count", "thread-local wrapper routine for count"),
        ("_ZTH5count", "thread-local initialization routine for count"),
        ("_ZGVZ3foovE5count", "guard variable for foo()::count"),
        ("_ZGR4name_", "reference temporary for name"),
        ("_ZGR4name1_", "reference temporary for name"),
        ("_ZTAXtl5PointLi1ELi2EEE", "template parameter object for Point{1, 2}"),
        // Local names.
        ("_ZZ3foovE5count", "foo()::count"),
        ("_ZZ3foovE5count_0", "foo()::count"),
        ("_ZZ3foovE5count__12_", "foo()::count"),
        ("_ZZ3foovEs", "foo()::string literal"),
        ("_ZZ3foovEs_3", "foo()::string literal"),
        ("_ZZ3fooiEd_5Order", "foo(int)::Order"),
        ("_ZZ3fooiEd0_NK5Order5totalEv", "foo(int)::Order::total() const"),
        ("_ZZ3foovEN5Inner3runEv", "foo()::Inner::run()"),
        ("_ZZ3foovENKUlvE_clEv", "foo()::'lambda'()::operator()() const"),
        ("_ZZ3foovENKUliE0_clEi", "foo()::'lambda0'(int)::operator()(int) const"),
        ("_ZZ3foovENUt_3runEv", "foo()::'unnamed'::run()"),
        ("_ZZ3foovENKUlT_E_clIiEEDaS_", "auto foo()::'lambda'(auto)::operator()<int>(auto) const"),
        ("_ZNK5countMUlvE_clEv", "count::'lambda'()::operator()() const"),
        ("_ZZN5OrderC1EvENKUlvE_clEv", "Order::Order()::'lambda'()::operator()() const"),
        ("___Z3foov_block_invoke", "invocation function for block in foo()"),
        ("___Z3foov_block_invoke_2", "invocation function for block in foo()"),
        ("___Z3foov_block_invoke.7", "invocation function for block in foo()"),
        ("_Z3barIZUb_E1SEiv", "int bar<'block-literal'::S>()"),
        // Builtin types.
        (
            "_Z1fbcahstijlmxynofdegwz",
            "f(bool, char, signed char, unsigned char, short, unsigned short, int, unsigned int, long, unsigned long, long long, unsigned long long, __int128, unsigned __int128, float, double, long double, __float128, wchar_t, ...)"
        ),
        ("_Z1fDiDsDuDnDadDhDdDeDf", "f(char32_t, char16_t, char8_t, std::nullptr_t, auto, double, half, decimal64, decimal128, decimal32)"),
        ("_Z1fDcDF16_DF16bDF128_", "f(decltype(auto), _Float16, std::bfloat16_t, _Float128)"),
        ("_Z1fDB17_DU17_RS_", "f(_BitInt(17), unsigned _BitInt(17), _BitInt(17)&)"),
        ("_Z1fDAsDRmDSDAi", "f(short _Accum, unsigned long _Fract, _Sat _Accum)"),
        ("_Z1fu6__int1u6__int1", "f(__int1, __int1)"),
        ("_Z1fu14__remove_constIKiE", "f(__remove_const(int const))"),
        // Compound types.
        ("_Z1fPPKcRVKiOrPi", "f(char const**, int const volatile&, int* restrict&&)"),
        ("_Z1fPVKFvvE", "f(void (*)() const volatile)"),
        ("_Z1fPFivE", "f(int (*)())"),
        ("_Z1fPFPFivEcE", "f(int (* (*)(char))())"),
        ("_Z1fPDoFivE", "f(int (*)() noexcept)"),
        ("_Z1fPDOLb1EEFivE", "f(int (*)() noexcept(true))"),
        ("_Z1fPDwidEFivE", "f(int (*)() throw(int, double))"),
        ("_Z1fPDxFivE", "f(int (*)())"),
        ("_Z1fPFvzE", "f(void (*)(...))"),
        ("_Z1fRA2_A3_Ki", "f(int const (&) [2][3])"),
        ("_Z1fPA_i", "f(int (*) [])"),
        ("_Z1fA3_PFivE", "f(int (* [3])())"),
        ("_Z1fM5OrderPi", "f(int* Order::*)"),
        ("_Z1fM5OrderA3_i", "f(int(Order::*) [3])"),
        ("_Z1fM5OrderKFvvRE", "f(void (Order::*)() const &)"),
        ("_Z1fM5OrderVFvvOE", "f(void (Order::*)() volatile &&)"),
        ("_Z1fDv4_fDv8_t", "f(float vector[4], unsigned short vector[8])"),
        ("_Z1fDv4_p", "f(pixel vector[4])"),
        ("_Z1fIiEvDvT__f", "void f<int>(float vector[int])"),
        ("_Z1fCdGf", "f(double complex, float imaginary)"),
        ("_Z1fPU3AS1Ki", "f(int const AS1*)"),
        ("_Z1fU8restrictILi1EEi", "f(int restrict<1>)"),
        ("_Z1fPU11objcproto1A11objc_object", "f(id<A>)"),
        ("_Z1fRU14objcproto4Prot11objc_object", "f(objc_object<Prot>&)"),
        ("_Z1fPU14objcproto4Prot5Order", "f(Order<Prot>*)"),
        // Substitutions.
        ("_ZN4shop5OrderC1ERKNS_4ItemES3_", "shop::Order::Order(shop::Item const&, shop::Item const&)"),
        (
            "_Z1fSsSsSaSbIcESiSoSd",
            "f(std::string, std::string, std::allocator, std::basic_string<char>, std::istream, std::ostream, std::iostream)"
        ),
        ("_ZNSsC1ERKSs", "std::basic_string<char, std::char_traits<char>, std::allocator<char>>::basic_string(std::string const&)"),
        (
            "_ZNSsC2EPKcRKSaIcE",
            "std::basic_string<char, std::char_traits<char>, std::allocator<char>>::basic_string(char const*, std::allocator<char> const&)"
        ),
        ("_ZNSiC1Ev", "std::basic_istream<char, std::char_traits<char>>::basic_istream()"),
        ("_ZNSoD1Ev", "std::basic_ostream<char, std::char_traits<char>>::~basic_ostream()"),
        ("_ZNSdC2Ev", "std::basic_iostream<char, std::char_traits<char>>::basic_iostream()"),
        ("_ZNSaIiED2Ev", "std::allocator<int>::~allocator()"),
        ("_ZNSbIwEC1Ev", "std::basic_string<wchar_t>::basic_string()"),
        ("_ZNSs6appendEPKc", "std::string::append(char const*)"),
        ("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int>>::push_back(int&&)"),
        ("_ZNSt3mapISsiE5eraseERKSs", "std::map<std::string, int>::erase(std::string const&)"),
        ("_ZNSsB5cxx116lengthEv", "std::string[abi:cxx11]::length()"),
        (
            "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeB5cxx11Ev",
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>::size[abi:cxx11]() const"
        ),
        (
            "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
            "std::basic_ostream<char, std::char_traits<char>>& std::operator<<<std::char_traits<char>>(std::basic_ostream<char, std::char_traits<char>>&, char const*)"
        ),
        // Templates and packs.
        ("_Z3maxIiET_S0_S0_", "int max<int>(int, int)"),
        ("_ZN3BoxIiE3getEv", "Box<int>::get()"),
        ("_ZN3BoxIiEC1IcEET_", "Box<int>::Box<char>(char)"),
        ("_Z1fI3BoxIS_IiEEEvv", "void f<Box<f<int>>>()"),
        ("_Z1fIiJcdEEvT_DpT0_", "void f<int, char, double>(int, char, double)"),
        ("_Z1fIJEEvDpT_i", "void f<>(int)"),
        ("_Z1fIJiRcOdEEvDpOT_", "void f<int, char&, double&&>(int&&, char&, double&&)"),
        ("_Z1fIJicEEvDpPFvT_E", "void f<int, char>(void (*)(int), void (*)(char))"),
        ("_Z1fIJicEEvPFvDpT_E", "void f<int, char>(void (*)(int, char))"),
        ("_Z1fIJFvvEA3_iEEvDpRT_", "void f<void (), int [3]>(void (&)(), int (&) [3])"),
        ("_Z1fIJiJcdEEEvv", "void f<int, char, double>()"),
        ("_Z1fI3BoxEvT_IiE", "void f<Box>(Box<int>)"),
        ("_Z1fIPFvvEEvT_", "void f<void (*)()>(void (*)())"),
        ("_Z1fIA3_iEPT_v", "int (*f<int [3]>()) [3]"),
        ("_Z1fIRiEvOT_", "void f<int&>(int&)"),
        ("_Z1fIOiEvRT_", "void f<int&&>(int&)"),
        ("_Z1fIJicEE4ListIJDpT_EEv", "List<int, char> f<int, char>()"),
        ("_Z1fITnDaLi1EEvv", "void f<1>()"),
        ("_Z1fITtTyE3BoxEvv", "void f<Box>()"),
        ("_Z1fITk8IntegraliEvv", "void f<int>()"),
        ("_Z1fITpTyJicEEvv", "void f<int, char>()"),
        ("_Z1fIiEDaT_Q8IntegralIT_E", "auto f<int>(int) requires Integral<T>"),
        ("_Z1fIiQ8IntegralIT_EEvv", "void f<int>()"),
        ("_ZN3BoxIiEF4swapERS0_S1_", "Box<int>::friend swap(Box<int>&, Box<int>&)"),
        ("_Z1fIiEDk8Integralv", "Integral auto f<int>()"),
        ("_Z1fIiEvTsNT_5InnerE", "void f<int>(struct int::Inner)"),
        ("_ZNH5Order5totalERKS_i", "Order::total(this Order const&, int)"),
        ("_ZW4shop5total5Order", "total@shop(Order)"),
        ("_ZN5OrderW4shopWP4part5totalEv", "Order::total@shop:part()"),
        ("_ZGIW4shopW4part", "initializer for module shop.part"),
        ("_ZDC1a1bE", "[a, b]"),
        ("_Z1fIiEUa9enable_ifIXeqT_Li1EEEvi", "void f<int>(int) [enable_if:int == 1]"),
        // Literals.
        ("_Z1fILi5EEvv", "void f<5>()"),
        ("_Z1fILin5EEvv", "void f<-5>()"),
        ("_Z1fILj1ELl2ELm3ELx4ELy5EEvv", "void f<1u, 2l, 3ul, 4ll, 5ull>()"),
        (
            "_Z1fILc97ELw98ELa99ELh1ELs1ELt1ELn1ELo1EEvv",
            "void f<(char)97, (wchar_t)98, (signed char)99, (unsigned char)1, (short)1, (unsigned short)1, (__int128)1, (unsigned __int128)1>()"
        ),
        ("_Z1fILb1ELb0EEvv", "void f<true, false>()"),
        ("_Z1fILDnEEvv", "void f<nullptr>()"),
        ("_Z1fIL5Color2EEvv", "void f<(Color)2>()"),
        ("_Z1fIL5Colorn2EEvv", "void f<(Color)-2>()"),
        ("_Z1fIXL_Z3fooiEEEvv", "void f<foo(int)>()"),
        ("_Z1fIXadL_ZN5Order5totalEvEEEvv", "void f<&Order::total()>()"),
        ("_Z1fILf3f800000EEvv", "void f<0x1p+0f>()"),
        ("_Z1fILfbfc00000EEvv", "void f<-0x1.8p+0f>()"),
        ("_Z1fILd3ff8000000000000EEvv", "void f<0x1.8p+0>()"),
        ("_Z1fILdc01921fb54442d18EEvv", "void f<-0x1.921fb54442d18p+2>()"),
        ("_Z1fILd0000000000000001EEvv", "void f<0x0.0000000000001p-1022>()"),
        ("_Z1fILd7ff0000000000000EEvv", "void f<inf>()"),
        ("_Z1fILe3fff8000000000000000EEvv", "void f<0x8p-3L>()"),
        ("_Z1fILe4000c90fdaa22168c235EEvv", "void f<0xc.90fdaa22168c235p-2L>()"),
        ("_Z1fIXtl5PointLi1ELi2EEEEvv", "void f<Point{1, 2}>()"),
        ("_Z1fIXtl5Pointdi1xLi1Edi1yLi2EEEEvv", "void f<Point{.x = 1, .y = 2}>()"),
        ("_Z1fIXtlA3_idxLi0ELi1EdXLi1ELi2ELi9EEEEvv", "void f<int [3]{[0] = 1, [1 ... 2] = 9}>()"),
        ("_Z1fIXtl4NametlA6_cLc72ELc105ELc10ELc34ELc1ELc65EEEEEvv", "void f<Name{\"Hi\\n\\\"\\1\"\"A\"}>()"),
        // `f(A<&v<int>, &v<char>>, X, X*)`, as clang and gcc mangle it: the second `v` is a reference, and no new thing to refer to.
        ("_Z1f1AIXadL_Z1vIiEEEXadL_ZS0_IcEEEE1XPS2_", "f(A<&v<int>, &v<char>>, X, X*)"),
        ("_Z1fIXadsoiL_Z5pointE4_EEEvv", "void f<&point.<int at offset 4>>()"),
        ("_Z1fIXmcM5OrderiadL_ZN4Base1xEEn8EEEvv", "void f<(int Order::*)(&Base::x)>()"),
        ("_Z1fIcEvDTcv3StrIT_ELA6_KcEE", "void f<char>(decltype((Str<char>)(\"<char const [6]>\")))"),
        ("_Z1fIiEvDTLUliE_EE", "void f<int>(decltype([](int){...}))"),
        // Expressions.
        ("_Z1fIiEDTplfp_Li1EET_", "decltype(fp + 1) f<int>(int)"),
        ("_Z1fIiEDTmlplfp_Li1ELi2EET_", "decltype((fp + 1) * 2) f<int>(int)"),
        ("_Z1fIiEDTplmlfp_Li1ELi2EET_", "decltype(fp * 1 + 2) f<int>(int)"),
        ("_Z1fIiEDTngngfp_ET_", "decltype(-(-fp)) f<int>(int)"),
        ("_Z1fIiEDTpp_fp_ET_", "decltype(++fp) f<int>(int)"),
        ("_Z1fIiEDTppfp_ET_", "decltype(fp++) f<int>(int)"),
        ("_Z1fIiEDTixfp_Li1EET_", "decltype(fp[1]) f<int>(int)"),
        ("_Z1fIiEDTcl1gfp_Li1EEET_", "decltype(g(fp, 1)) f<int>(int)"),
        ("_Z1fIiEDTcp1gfp_EET_", "decltype((g)(fp)) f<int>(int)"),
        ("_Z1fIiEDTcldtfp_3runEET_", "decltype(fp.run()) f<int>(int)"),
        ("_Z1fIiEDTptfp_3runET_", "decltype(fp->run) f<int>(int)"),
        ("_Z1fIiEDTdsfp_fp0_ET_", "decltype(fp.*fp0) f<int>(int)"),
        ("_Z1fIiEDTquLb1Efp_Li2EET_", "decltype(true ? fp : 2) f<int>(int)"),
        ("_Z1fIiEDTaSfp_aSfp_Li1EET_", "decltype(fp = fp = 1) f<int>(int)"),
        ("_Z1fIiEDTcmfp_Li1EET_", "decltype(fp, 1) f<int>(int)"),
        ("_Z1fIiEDTszfp_ET_", "decltype(sizeof (fp)) f<int>(int)"),
        ("_Z1fIiEDTstT_ES0_", "decltype(sizeof (int)) f<int>(int)"),
        ("_Z1fIiEDTatT_ES0_", "decltype(alignof (int)) f<int>(int)"),
        ("_Z1fIiEDTtiT_ES0_", "decltype(typeid (int)) f<int>(int)"),
        ("_Z1fIiEDTnxfp_ET_", "decltype(noexcept (fp)) f<int>(int)"),
        ("_Z1fIiEDTscT_Li1EES0_", "decltype(static_cast<int>(1)) f<int>(int)"),
        ("_Z1fIiEDTcvT_Li1EES0_", "decltype((int)(1)) f<int>(int)"),
        ("_Z1fIiEDTcvT__Li1ELi2EEES0_", "decltype((int)(1, 2)) f<int>(int)"),
        ("_Z1fIiEDTnw_T_EES0_", "decltype(new int) f<int>(int)"),
        ("_Z1fIiEDTgsnwLi8E_T_piLi1EEES0_", "decltype(::new(8) int(1)) f<int>(int)"),
        ("_Z1fIiEDTna_T_piilLi1EEEES0_", "decltype(new[] int({1})) f<int>(int)"),
        ("_Z1fIiEDTgsdlfp_ET_", "decltype(::delete fp) f<int>(int)"),
        ("_Z1fIiEDTdafp_ET_", "decltype(delete[] fp) f<int>(int)"),
        ("_Z1fIiEDTtwfp_ET_", "decltype(throw fp) f<int>(int)"),
        ("_Z1fIiEDTtrET_", "decltype(throw) f<int>(int)"),
        ("_Z1fIiEDTilfp_Li1EEET_", "decltype({fp, 1}) f<int>(int)"),
        ("_Z1fIiEDTfpTET_", "decltype(this) f<int>(int)"),
        ("_Z1fIiEDTfL0p_ET_", "decltype(fp) f<int>(int)"),
        ("_Z1fIJicEEDTsZT_EDpT_", "decltype(sizeof...(int, char)) f<int, char>(int, char)"),
        ("_Z1fIJicEEDTsZfp_EDpT_", "decltype(sizeof... (fp)) f<int, char>(int, char)"),
        ("_Z1fIJicEEDTcl1gspfp_EEDpT_", "decltype(g(fp...)) f<int, char>(int, char)"),
        ("_Z1fIJLi1ELi2EEEvA_flplT_", "void f<1, 2>(float [], long, operator+, 1)"),
        ("_Z1fIJLi1ELi2EEE1AIXflplT_EEv", "A<(... + (1, 2))> f<1, 2>()"),
        ("_Z1fIJLi1ELi2EEE1AIXfRmlT_Li3EEEv", "A<((1, 2) * ... * 3)> f<1, 2>()"),
        ("_Z1fIJLi1ELi2EEE1AIXfLaaLb1ET_EEv", "A<(true && ... && (1, 2))> f<1, 2>()"),
        ("_Z1fIiEDTsrT_5valueEv", "decltype(int::value) f<int>()"),
        ("_Z1fIiEDTsrNT_5InnerE5valueEv", "decltype(int::Inner::value) f<int>()"),
        ("_Z1fIiEDTsr4shop5OrderE5valueEv", "decltype(shop::Order::value) f<int>()"),
        ("_Z1fIiEDTgssr4shopE5valueEv", "decltype(::shop::value) f<int>()"),
        ("_Z1fIiEDTcldtfp_dnT_EEv", "decltype(fp.~int()) f<int>()"),
        ("_Z1fIiEDTcldtfp_dn3BoxIiEEEv", "decltype(fp.~Box<int>()) f<int>()"),
        ("_Z1fIiEDTclonplfp_Li1EEEv", "decltype(operator+(fp, 1)) f<int>()"),
        ("_Z1fIiEDTdtfp_onixIiEEv", "decltype(fp.operator[]<int>) f<int>()"),
        ("_Z1fIXgtLi2ELi1EEEvv", "void f<(2 > 1)>()"),
        ("_Z1fIXrsLi2ELi1EEEvv", "void f<(2 >> 1)>()"),
        ("_Z1fIXcmgtLi2ELi1ELi3EEEvv", "void f<(2 > 1, 3)>()"),
        ("_Z1fIiEDTgtfp_Li1EET_", "decltype((fp > 1)) f<int>(int)"),
        ("_Z1fIiEDTu7__probeT_EEv", "decltype(__probe(int)) f<int>()"),
        ("_Z1fIiEDTu8__uuidoftT_Ev", "decltype(__uuidof(int)) f<int>()"),
        ("_Z1fIiEDTu8__uuidofzfp_ET_", "decltype(__uuidof(fp)) f<int>(int)"),
        (
            "_Z1fIiEviQrqXplfp_Li1EXfp_NR8IntegralTT_QLb1EE",
            "void f<int>(int) requires requires { fp + 1; {fp} noexcept -> Integral; typename T; requires true; }"
        ),
        ("_Z1fIiEviQrQT__XplfL0p_fp_E", "void f<int>(int) requires requires (T) { fp + fp; }"),
        ("_ZNK1gMUlTyT_E_clIiEEDaS_", "auto g::'lambda'<typename $T>($T)::operator()<int>(g) const"),
        (
            "_ZNK1gMUlTyTnT_TtTyETpTyvE_clIiEEDav",
            "auto g::'lambda'<typename $T, $T $N, template<typename $T0> typename $TT, typename ...$T1>()::operator()<int>() const"
        ),
        ("_ZNK1gMUlTyQ8IntegralIT_ET_E_clIiEEDaS_", "auto g::'lambda'<typename $T> requires Integral<T> ($T)::operator()<int>(g) const"),
        // Types that are written again, which is by copying them: in packs of different lengths, in function pointers and arrays, in
        // parentheses, and in a conversion operator before its arguments are read.
        ("_Z1fIJEEv1PIJDpT_EES0_IJDp1BIS1_EEES0_IJDpS4_IS5_EEE", "void f<>(P<>, P<>, P<>)"),
        (
            "_Z1fIJic1BIiEEEv1PIJDpT_EES2_IJDpS0_IS3_EEES2_IJDpS0_IS6_EEE",
            "void f<int, char, B<int>>(P<int, char, B<int>>, P<B<int>, B<char>, B<B<int>>>, P<B<B<int>>, B<B<char>>, B<B<B<int>>>>)"
        ),
        (
            "_Z1gIJicEJ1BIiES0_IcEEEv1PIJDpT_EES3_IJDpT0_EES3_IJDpS3_IJS4_S7_EEEE",
            "void g<int, char, B<int>, B<char>>(P<int, char>, P<B<int>, B<char>>, P<P<int, B<int>>, P<char, B<char>>>)"
        ),
        (
            "_Z1hI1BIiEEvT_S0_IS2_E1EIXgtstS2_Li1EES2_ES4_IXgtstS3_Li1EES3_ES4_IXgtstS2_Li1EES3_E",
            "void h<B<int>>(B<int>, B<B<int>>, E<(sizeof (B<int>) > 1), B<int>>, E<(sizeof (B<B<int>>) > 1), B<B<int>>>, E<(sizeof (B<int>) > 1), B<B<int>>>)"
        ),
        ("_Z1kIiEvPFT_S0_ERA3_S0_1BIS2_ES5_IS3_ES2_", "void k<int>(int (*)(int), int (&) [3], B<int (*)(int)>, B<int [3]>, int (*)(int))"),
        (
            "_Z1mIJi1BIiES1_EEvDpPFT_S2_E1PIJS5_EES6_IJDpA3_S2_EE",
            "void m<int, B<int>, B<int>>(int (*)(int), B<int> (*)(B<int>), B<int> (*)(B<int>), P<int (*)(int), B<int> (*)(B<int>), B<int> (*)(B<int>)>, P<int [3], B<int> [3], B<int> [3]>)"
        ),
        ("_ZNK1Ccv1BIT_EIS0_IiEEEv", "C::operator B<B<int>><B<int>>() const"),
        ("_ZNK1Ccv1PIJT_1BIS1_EEEIS2_IiEEEv", "C::operator P<B<int>, B<B<int>>><B<int>>() const"),
    ]

    @Test(arguments: names)
    func `C++ names are spelled as LLVM spells them`(name: (mangled: String, plain: String)) {
        #expect(Demangler().demangle(name.mangled) == name.plain)
        #expect(Demangler().demangle("_" + name.mangled) == name.plain, "with Mach-O's underscore")
        #expect(Demangler().demangle("." + name.mangled) == "." + name.plain, "as a function's entry on 64-bit PowerPC")
        #expect(Demangler().demangle(name.mangled + "@@V_1") == name.plain + "@@V_1", "with a symbol version")
        #expect(Demangler(style: .full).demangle(name.mangled) == name.plain)
    }

    /// Names of the table that LLVM 19 does not read, or reads otherwise: `operator->*`,
    /// fixed-point and 16-bit brain floating-point types, references to `_BitInt`, strings in
    /// template arguments, calls without argument-dependent lookup; and it prints `>` without the
    /// parentheses of 21.
    static let sinceLLVM19: Set<String> = [
        "_ZN5OrderpmEi", "_Z1fDcDF16_DF16bDF128_", "_Z1fDB17_DU17_RS_", "_Z1fDAsDRmDSDAi",
        "_Z1fIXtl4NametlA6_cLc72ELc105ELc10ELc34ELc1ELc65EEEEEvv",
        "_Z1fIiEDTcp1gfp_EET_", "_Z1fIiEDTgtfp_Li1EET_",
    ]

    @Test(.enabled(if: Peers.hasCxxfilt, "llvm-cxxfilt-19 (package llvm-19) is not installed"))
    func `LLVM 19 spells nearly all of them the same`() throws {
        let names = Self.names.filter { !Self.sinceLLVM19.contains($0.mangled) }
        #expect(try Peers.filter(names.map(\.mangled), Peers.cxxfilt) == names.map(\.plain))
    }

    /// Names as gcc writes them that LLVM does not read: dependent names without the ABI's `E`,
    /// local function templates whose parameters have the types of their arguments, transaction
    /// clones. Expected is what gcc's `c++filt` (2.40) prints.
    @Test(arguments: [
        (
            "_ZSt4swapIcENSt9enable_ifIXsrSt9is_objectIT_E5valueEvE4typeERS2_",
            "std::enable_if<std::is_object<char>::value, void>::type std::swap<char>(char&)"
        ),
        ("_ZN3Box3getILi1EEEN2IfIXntsr3HasIXT_ELi4EE5valueEvE4typeEv", "If<!Has<1, 4>::value, void>::type Box::get<1>()"),
        ("_ZZ4mainENK3$_0clIiEEvT_", "void main::$_0::operator()<int>(int) const"),
        ("_ZZ4mainENK5Inner3runIiEEvRKT_", "void main::Inner::run<int>(int const&) const"),
        // A conversion to a type with arguments that have arguments themselves.
        (
            "_ZNK4llvm8ArrayRefImEcvSt6vectorImSaImEEEv",
            "llvm::ArrayRef<unsigned long>::operator std::vector<unsigned long, std::allocator<unsigned long>>() const"
        ),
        (
            "_ZNK1AcvNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEv",
            "A::operator std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>() const"
        ),
        ("_ZGTtN5Order5totalEv", "transaction clone for Order::total()"),
        ("_ZGTnN5Order5totalEv", "non-transaction clone for Order::total()"),
    ])
    func `names that LLVM does not read and gcc's demangler does`(name: String, expected: String) {
        #expect(Demangler().demangle(name) == expected)
    }

    /// Names that LLVM reads and gives another meaning than compilers do. A template parameter is
    /// mangled alike wherever it is, so that a function's `S1_` may be the `T_` of a function
    /// inside of its name; LLVM then shows that one's argument. Expected is what gcc's `c++filt`
    /// (2.40) says, worded as LLVM.
    @Test(arguments: [
        ("_Z1fIZ1gIiEvT_E1AEvS1_", "void f<void g<int>(int)::A>(void g<int>(int)::A)"),
        ("_Z1fIZ1gIiEvPKT_E1AEvS3_", "void f<void g<int>(int const*)::A>(void g<int>(int const*)::A const*)"),
        ("_Z1fIZ1gI1BEvNT_4typeEE1AEvS3_", "void f<void g<B>(B::type)::A>(void g<B>(B::type)::A::type)"),
        // A generic lambda's parameter, which is mangled as `T_` too.
        ("_Z1fIZ1gvEUlT_E_EvS0_", "void f<g()::'lambda'(auto)>(g()::'lambda'(auto))"),
        ("_ZZ1fIiEvT_ENKUlOS0_E_clIcEEDaS1_", "auto void f<int>(int)::'lambda'(auto&&)::operator()<char>(auto&&) const"),
        // `srNS1_9_CallableI…EE5value`: a type, whose parts count.
        (
            "_ZNSt8functionIFvbEEaSI1AEENSt9enable_ifIXsrNS1_9_CallableIT_St15__invoke_resultIRS6_JbEEEE5valueERS1_E4typeEOS6_",
            "std::enable_if<std::function<void (bool)>::_Callable<A, std::__invoke_result<A&, bool>>::value, std::function<void (bool)>&>::type std::function<void (bool)>::operator=<A>(A&&)"
        ),
    ])
    func `names that LLVM misreads`(name: String, expected: String) {
        #expect(Demangler().demangle(name) == expected)
    }

    @Test func `references that are read again and again come to an end`() {
        // In `g`, each pair is of two of the pairs before, 2⁴⁰ `T_` in all; `f` refers to the last,
        // whose `T_` are its own.
        var name = "_Z1fIZ1gIiEv1PIT_S2_E"
        var last = "S3_"
        for number in 4...40 {
            name += "S1_I\(last)\(last)E"
            last = "S" + String(number - 1, radix: 36, uppercase: true) + "_"
        }
        name += "E1AEv\(last)"
        #expect(Demangler().demangle(name) == name)
    }

    @Test(arguments: [
        "_Z", "_Z1", "_Z3fo", "_ZN", "_ZN1AE1", "_Z1fS_", "_Z1fT_", "_Z1fIiEvT0_", "_Z1fILi5Evv", "_Z1fILfzzEEvv",
        "_ZN99999999999999999999aE", "_Z1fvX", "_ZTX5Order", "_Z.", "___Z_block_invoke",
        "___Z_block_invoke", "_Z1fILe7EEvv",
    ])
    func `a name that is not well-formed stays as it is, and says so`(name: String) {
        let result = Demangler().read(name)
        #expect(result.text == name)
        #expect(result.staysMangled)
        #expect(result.scheme == .itanium)
    }

    @Test(
        .enabled(if: Peers.nm != nil && Peers.hasCxxfilt, "the toolchain's llvm-nm or llvm-cxxfilt-19 (package llvm-19) is missing"),
        arguments: Peers.libraries)
    func `every symbol of a library is spelled as llvm-cxxfilt spells it`(path: String) throws {
        let names = try Peers.symbols(of: path, try #require(Peers.nm)).filter { $0.hasPrefix("_Z") }
        #expect(!names.isEmpty)
        let expected = try Peers.filter(names, Peers.cxxfilt)
        #expect(expected.count == names.count)
        let demangler = Demangler()
        // Names that LLVM does not read stay mangled in its output, and ours may be spelled as by
        // gcc's demangler.
        let different = zip(names, expected).filter { demangler.demangle($0) != $1 && $0 != $1 }
        #expect(zip(names, expected).filter { $0 == $1 }.count < 100 + names.count / 20)
        // For names that LLVM misreads (`names that LLVM misreads`), gcc's demangler must agree
        // with ours.
        #expect(different.count <= names.count / 200, "\(different.count) of \(names.count): \(different.prefix(5))")
        let disputed = different.map(\.0).filter { !Self.misreadByBoth($0) }
        guard !disputed.isEmpty, let says = try Peers.saysTheSame(disputed.map { demangler.demangle($0) }, as: disputed) else { return }
        let alone = zip(disputed, says).filter { !$1 }
        #expect(alone.isEmpty, "\(alone.count) of \(names.count): \(alone.prefix(5))")
    }

    /// libstdc++'s `template<typename _Callable> explicit _Prepare_execution(_Callable& __c)`
    /// (<mutex>) is called with a lambda of `call_once`; gcc's demangler and LLVM's show other
    /// types.
    private static func misreadByBoth(_ name: String) -> Bool { name.hasPrefix("_ZZNSt9once_flag18_Prepare_executionC") }

    @Test func `parts that nest deeper than the limit leave the name as it is`() {
        var limits = Limits()
        limits.demanglingDepth = 8
        #expect(Demangler(limits: limits).demangle("_Z1fPPPi") == "f(int***)")
        // One level for the whole name and one for each pointer.
        #expect(Demangler(limits: limits).demangle("_Z1fPPPPPPPi") == "_Z1fPPPPPPPi")
        #expect(Demangler().demangle("_Z1f" + String(repeating: "P", count: 60_000) + "i").utf8.count == 60_005)
    }

    @Test func `text that grows beyond the limit leaves the name as it is`() {
        // Each `S1_IS1_S1_E` doubles what the one before it says: 2⁴⁰ times `int`.
        var name = "_Z1f1AIiiE"
        var last = "S0_"
        for number in 1...40 {
            name += "S_I\(last)\(last)E"
            last = "S" + String(number, radix: 36, uppercase: true) + "_"
        }
        #expect(Demangler().demangle(name) == name)

        // Packs of nothing, again and again: no text at all, but a step for each.
        var empty = "_Z1fIJEEvPFvDpT_E"
        for number in 1...40 {
            empty += "PFvS\(String(2 * number - 1, radix: 36, uppercase: true))_S\(String(2 * number - 1, radix: 36, uppercase: true))_E"
        }
        #expect(Demangler().demangle(empty) == empty)
    }

    /// Each pattern is printed and taken back, which must not cost more the longer the name is. LLVM 19 reads it as well.
    @Test func `patterns of an empty pack leave nothing`() {
        #expect(Demangler().demangle("_Z1fIJEEv" + String(repeating: "DpP1AIT_E", count: 6_000)) == "void f<>()")
    }

    @Test(arguments: [
        ("f3f800000", "0x1p+0f"), ("fbf000000", "-0x1p-1f"), ("f00000001", "0x1p-149f"), ("f80000000", "-0x0p+0f"), ("f7f800000", "inff"),
        ("f7fc00000", "nanf"), ("d400921fb54442d18", "0x1.921fb54442d18p+1"), ("d0010000000000000", "0x1p-1022"),
        ("d000fffffffffffff", "0x0.fffffffffffffp-1022"), ("dfff0000000000000", "-inf"), ("d7ff8000000000000", "nan"),
        ("e3fff8000000000000000", "0x8p-3L"), ("e4000c90fdaa22168c235", "0xc.90fdaa22168c235p-2L"),
        ("e00000000000000000001", "0x0.000000000000001p-16385L"),
        ("e7fff8000000000000000", "infL"), ("e7fffc000000000000000", "nanL"), ("e3fff0000000000000001", "nanL"),
        // 16 bytes, on 64-bit ARM and others; 8 where long double is double.
        ("e3fff8000000000000000000000000000", "0x1.8p+0L"), ("e3ff8000000000000", "0x1.8p+0L"),
    ])
    func `floating-point literals are printed exactly, as printf's %a does`(literal: String, expected: String) {
        #expect(Demangler().demangle("_Z1fIL\(literal)EEvv") == "void f<\(expected)>()")
    }
}
