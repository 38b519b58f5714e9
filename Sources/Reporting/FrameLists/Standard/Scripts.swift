extension FrameList {
    /// Python, and JavaScript in Node.
    static let scripts = FrameList(
        name: "scripts",
        """
        language python
        irrelevant runpy.py:*
        irrelevant <frozen *
        irrelevant importlib*
        irrelevant threading.py:*
        language javaScript
        irrelevant Module._compile
        irrelevant Module.load
        irrelevant Module._load
        irrelevant Module._extensions..js
        irrelevant Object..js
        irrelevant Function.executeUserEntryPoint*
        irrelevant Module.executeUserEntryPoint*
        irrelevant wrapModuleLoad
        irrelevant TracingChannel.traceSync
        irrelevant ModuleJob.run
        irrelevant processTicksAndRejections
        irrelevant process.processTicksAndRejections
        # What Emscripten generates around a module (`src/preamble.js`, `src/postamble.js`, `src/library.js`).
        irrelevant abort
        irrelevant _abort
        irrelevant ___assert_fail
        irrelevant ___cxa_throw
        irrelevant ___cxa_rethrow
        irrelevant ___resumeException
        irrelevant invoke_*
        irrelevant callMain
        irrelevant runCaller
        irrelevant removeRunDependency
        irrelevant receiveInstance
        irrelevant receiveInstantiationResult
        irrelevant callRuntimeCallbacks
        # The machines: V8, Node, CPython.
        language cPlusPlus
        irrelevant node::Abort
        irrelevant node::Assert
        irrelevant node::OnFatalError
        irrelevant node::OOMErrorHandler
        irrelevant node::DumpNativeBacktrace
        irrelevant node::NativeSymbolDebuggingContext*
        irrelevant v8::Utils::ReportApiFailure
        irrelevant v8::Utils::ReportOOMFailure
        irrelevant v8::internal::V8::FatalProcessOutOfMemory
        irrelevant V8_Fatal
        library v8::*
        library node::*
        library uv_*
        library uv__*
        library _Py*
        library Py*
        """)
}
