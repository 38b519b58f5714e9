extension FrameList {
    /// Windows: raising, and where programs begin.
    static let windows = FrameList(
        name: "windows",
        """
        sentinel KiUserExceptionDispatch*
        sentinel RtlDispatchException
        sentinel _gnu_exception_handler
        irrelevant RaiseException
        irrelevant RaiseFailFastException
        irrelevant RtlRaiseException
        irrelevant RtlReportFatalFailure
        irrelevant RtlReportCriticalFailure
        irrelevant RtlpHeapHandleError
        irrelevant RtlpLogHeapFailure
        irrelevant RtlpFreeHeap*
        irrelevant RtlFreeHeap*
        irrelevant RtlAllocateHeap*
        irrelevant RtlpAllocateHeap*
        irrelevant _CxxThrowException
        irrelevant _invoke_watson*
        irrelevant _invalid_parameter*
        irrelevant _purecall
        irrelevant __fastfail
        irrelevant __report_gsfailure
        irrelevant common_assert_to_*
        irrelevant RtlUserThreadStart
        irrelevant BaseThreadInitThunk
        irrelevant mainCRTStartup
        irrelevant wmainCRTStartup
        irrelevant WinMainCRTStartup
        irrelevant __scrt_common_main*
        irrelevant invoke_main
        irrelevant thread_start
        irrelevant ntdll*!*
        irrelevant KERNELBASE*!*
        irrelevant kernel32*!*
        irrelevant FDebugBreak*
        irrelevant FWindowsPlatformMisc::*
        irrelevant FDebug::*
        """)
}
