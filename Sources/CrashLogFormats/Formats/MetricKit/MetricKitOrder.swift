internal import CrashLogModel

/// Which end of a call-stack tree is the outermost caller. Apple's documentation does not say, and
/// it has changed.
///
/// What was sampled is a tree as `sample` prints it: callers first, each count the sum of its
/// sub-frames' (KSCrash's MetricKit monitor and sentry-cocoa read it so). Crashes have been seen
/// both ways: in Apple's own example `libdyld`, where every main thread begins, is a sub-frame of
/// the app, and sentry-cocoa turned them round in 2022 (pull request 2502); since 2025 it takes the
/// root for the outermost caller (6908), and payloads of 2026 begin with `dyld`. So the tree itself
/// decides:
/// - a frame with several sub-frames called them;
/// - threads begin in `dyld`, `libdyld` or `libsystem_pthread`, so an end there is the outermost;
/// - threads that wait do so in `libsystem_kernel`, so an end there is the innermost.
struct MetricKitOrder {
    /// The roots are the outermost callers.
    let callersComeFirst: Bool
    /// Something in the tree shows it.
    let isCertain: Bool
    /// Frames were sampled more than once, or branch: it is no single stack.
    let isSampled: Bool

    /// - Parameter isCrash: what decides where nothing in the tree does; `nil` if the log does not
    ///   say.
    init(_ tree: JSONValue, isCrash: Bool?) {
        var votes = 0
        var branches = tree["callStackPerThread"]?.isTrue == false
        var isCounted = false
        var isLong = false
        for stack in tree["callStacks"]?.elements ?? [] {
            let roots = stack["callStackRootFrames"]?.elements ?? []
            if roots.count > 1 { branches = true }
            guard let root = roots.first else { continue }
            var end = root
            while let subFrames = end["subFrames"]?.elements, let next = subFrames.first {
                if subFrames.count > 1 { branches = true }
                isLong = true
                end = next
            }
            if root["sampleCount"]?.int ?? 1 > 1 { isCounted = true }
            votes += MetricKitOrder.vote(root: root["binaryName"]?.string ?? "", end: end["binaryName"]?.string ?? "")
        }
        isSampled = branches || isCounted
        callersComeFirst = branches || (votes == 0 ? !(isCrash ?? !isCounted) : votes > 0)
        isCertain = branches || votes != 0 || !isLong
    }

    /// Positive: the root is the caller.
    private static func vote(root: String, end: String) -> Int {
        let beginnings: Set = ["dyld", "libdyld.dylib", "libsystem_pthread.dylib"]
        let kernel = "libsystem_kernel.dylib"
        return (beginnings.contains(root) ? 1 : 0) - (beginnings.contains(end) ? 1 : 0) + (end == kernel ? 1 : 0) - (root == kernel ? 1 : 0)
    }
}
