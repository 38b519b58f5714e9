extension FrameList {
    /// Java and Kotlin on any machine, and Android.
    static let java = FrameList(
        name: "java",
        """
        language java
        irrelevant java.lang.Thread.run*
        irrelevant java.lang.Thread.exit
        irrelevant java.lang.VirtualThread.*
        irrelevant java.lang.reflect.*
        irrelevant java.lang.invoke.*
        irrelevant java.util.concurrent.ThreadPoolExecutor*
        irrelevant java.util.concurrent.FutureTask*
        irrelevant java.util.concurrent.Executors*
        irrelevant java.util.concurrent.ForkJoin*
        irrelevant java.util.Objects.require*
        irrelevant java.util.Objects.check*
        irrelevant jdk.internal.*
        irrelevant sun.reflect.*
        irrelevant kotlin.jvm.internal.Intrinsics*
        irrelevant kotlin.coroutines.*
        irrelevant kotlinx.coroutines.*
        irrelevant com.android.internal.os.*
        irrelevant android.os.Handler*
        irrelevant android.os.Looper*
        irrelevant android.app.ActivityThread*
        irrelevant *$$Lambda
        irrelevant *$$Lambda.*
        irrelevant *GeneratedMethodAccessor*
        irrelevant *$Proxy.*
        library java.*
        library javax.*
        library jdk.*
        library sun.*
        library kotlin.*
        library kotlinx.*
        library scala.*
        library android.*
        library androidx.*
        library com.android.*
        library dalvik.*
        # The machines.
        language any
        irrelevant art_quick_*
        irrelevant art::*
        irrelevant nterp_*
        irrelevant libjvm.so!*
        """)
}
