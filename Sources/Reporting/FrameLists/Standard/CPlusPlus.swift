extension FrameList {
    /// C++: raising, unwinding, its library.
    static let cPlusPlus = FrameList(
        name: "cplusplus",
        """
        irrelevant __cxa_throw*
        irrelevant __cxa_rethrow*
        irrelevant __cxa_pure_virtual
        irrelevant __cxa_deleted_virtual
        irrelevant __cxa_bad_*
        irrelevant __cxa_throw_bad_*
        irrelevant __cxa_call_unexpected
        irrelevant __cxa_call_terminate
        irrelevant __cxxabiv1::*
        irrelevant __clang_call_terminate
        irrelevant demangling_terminate_handler*
        irrelevant demangling_unexpected_handler*
        irrelevant abort_message
        irrelevant std::terminate
        irrelevant std::__terminate*
        irrelevant std::unexpected
        irrelevant __gnu_cxx::__verbose_terminate_handler
        irrelevant std::__throw_*
        irrelevant std::__glibcxx_assert_fail
        irrelevant std::__replacement_assert
        irrelevant std::__libcpp_verbose_abort
        irrelevant _Unwind_*
        irrelevant __gxx_personality_*
        irrelevant __gcc_personality_*
        irrelevant operator new*
        irrelevant operator delete*
        irrelevant std::__invoke*
        irrelevant std::invoke*
        irrelevant std::_Function_handler*
        irrelevant std::_Function_base*
        irrelevant std::function::*
        irrelevant std::__function::*
        irrelevant std::thread::_*
        irrelevant std::__thread_proxy*
        irrelevant execute_native_thread_routine*
        irrelevant __static_initialization_and_destruction_0
        irrelevant _GLOBAL__sub_I_*
        library std::*
        library __gnu_cxx::*
        library __gnu_debug::*
        library __introsort_loop*
        """)
}
