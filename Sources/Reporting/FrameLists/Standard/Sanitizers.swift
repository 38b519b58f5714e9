extension FrameList {
    /// Sanitizers and fuzzers.
    static let sanitizers = FrameList(
        name: "sanitizers",
        """
        irrelevant __asan::*
        irrelevant __asan_*
        irrelevant asan_*
        irrelevant __hwasan::*
        irrelevant __hwasan_*
        irrelevant __lsan::*
        irrelevant __msan::*
        irrelevant __msan_*
        irrelevant __tsan::*
        irrelevant __tsan_*
        irrelevant __ubsan::*
        irrelevant __ubsan_*
        irrelevant __sanitizer::*
        irrelevant __sanitizer_*
        irrelevant __interception::*
        irrelevant __interceptor_*
        irrelevant ___interceptor_*
        irrelevant __interceptor_trampoline_*
        irrelevant gwp_asan::*
        irrelevant MemcmpInterceptorCommon*
        irrelevant fuzzer::*
        irrelevant asan_thread_start
        irrelevant libasan.so*!*
        irrelevant libtsan.so*!*
        irrelevant libubsan.so*!*
        irrelevant liblsan.so*!*
        irrelevant libclang_rt.*!*
        """)
}
