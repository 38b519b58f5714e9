extension FrameList {
    /// Apple's systems: exceptions of Objective-C, run loops.
    static let apple = FrameList(
        name: "apple",
        """
        sentinel objc_exception_throw
        sentinel _objc_exception_throw
        sentinel __exceptionPreprocess
        sentinel +[NSException raise:*
        sentinel -[NSException raise]
        sentinel _CFThrowFormattedException
        sentinel __assert_rtn
        irrelevant objc_exception_rethrow
        irrelevant _objc_terminate*
        irrelevant objc_terminate*
        irrelevant -[NSObject doesNotRecognizeSelector:]
        irrelevant +[NSObject doesNotRecognizeSelector:]
        irrelevant ___forwarding___
        irrelevant __forwarding_prep_*
        irrelevant _CF_forwarding_prep_0
        irrelevant __forwarding__
        irrelevant -[NSAssertionHandler *
        irrelevant _NSAssert*
        irrelevant objc_msgSend*
        irrelevant objc_retain*
        irrelevant objc_release*
        irrelevant objc_storeStrong*
        irrelevant objc_loadWeak*
        irrelevant objc_autorelease*
        irrelevant _objc_autorelease*
        irrelevant AutoreleasePoolPage::*
        irrelevant objc_object::*
        irrelevant abort_report_np
        irrelevant abort_with_*
        irrelevant terminate_with_reason
        irrelevant __abort_with_payload
        irrelevant __copy_helper_block_*
        irrelevant __destroy_helper_block_*
        irrelevant _Block_release
        irrelevant _Block_object_dispose
        irrelevant mach_msg*
        irrelevant CFRunLoopRun*
        irrelevant __CFRunLoop*
        irrelevant __CFRUNLOOP_IS_*
        irrelevant CFRunLoopDo*
        irrelevant GSEventRun*
        irrelevant UIApplicationMain
        irrelevant NSApplicationMain
        irrelevant -[NSApplication run]
        irrelevant -[NSApplication _run]
        irrelevant -[UIApplication _run]
        irrelevant -[NSRunLoop *
        irrelevant start
        irrelevant start_sim
        irrelevant dyld4::*
        irrelevant dyld3::*
        irrelevant dyld::*
        irrelevant dyldbootstrap::*
        irrelevant libdispatch.dylib!*
        irrelevant libsystem_pthread.dylib!*
        irrelevant libsystem_kernel.dylib!*
        irrelevant libsystem_malloc.dylib!*
        irrelevant libsystem_c.dylib!abort
        library -[NS*
        library +[NS*
        library -[UI*
        library +[UI*
        library -[__NS*
        library +[__NS*
        library CoreFoundation!*
        library CFNetwork!*
        library Foundation!*
        language objectiveC
        library CF*
        library __CF*
        library _CF*
        library __NS*
        """)
}
