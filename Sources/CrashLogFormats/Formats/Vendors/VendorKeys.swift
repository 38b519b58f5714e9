internal import CrashLogModel

/// Keys of a crash's parts in one vendor's JSON: a row of the table of `VendorJSON`.
///
/// Stacks are lists of frame objects, each with its address and its image. A new vendor is a new entry of `all`, a test with a sample, and a
/// page in the documentation.
struct VendorKeys: Sendable {
    /// A list of stacks.
    struct Stacks: Sendable {
        var list: String
        /// The list of frames in each of its elements.
        var frames: String
        /// The exception's class or the signal, which shows that the stack is an exception's; empty
        /// for lists of threads.
        var type: [String] = []
        var message: [String] = []
        var name: String?
        var number: String?
        var crashed: String?
        /// The frames are one string with the rows of a text report.
        var areRows = false
    }

    /// The cause and the stack that an event has itself.
    struct Cause: Sendable {
        var type: String
        var message: String
        var stack: String
        /// Prefix of the message if the stack belongs to a thrown exception, and not to the crashed
        /// thread.
        var exceptionMessage: String
    }

    /// The list of images that no frame need be in.
    struct Images: Sendable {
        var list: String
        var base: String
        var end: String
        var path: String
        var identity: String
        var architecture: String
    }

    var name: String
    var summary: String
    /// Keys that the vendor's frames have together, and those of no other.
    var marks: [[String]]
    /// Key of the events (a list or an object), unless the document is an event itself.
    var events: [String]
    /// Keys of the event's own cause and stack; `nil` if it has none beside its lists of stacks.
    var cause: Cause?
    var stacks: [Stacks]
    var frame: JSONFrameKeys
    var images: Images?

    static let all = [bugsnag, measure, datadog]

    /// An event of Bugsnag's error reporting API, version 4, as its clients for Apple's systems and for Android's NDK send it
    /// (`BugsnagStackframe.m`, `bugsnag_ndk`'s `serializer`); KSCrash reports hold the same.
    ///
    ///     {"method":"main","machoFile":"/…/App","machoUUID":"2EFA58F2-…","machoLoadAddress":"0x10026a000","symbolAddress":"0x1008b8b90","frameAddress":"0x1008b8c17"}
    ///     {"method":"moor","file":"/data/app/x/lib/arm64/libquay.so","loadAddress":"0x7b0a5d2000","frameAddress":"0x7b0a5d23f8","codeIdentifier":"4c4c44f6…"}
    static let bugsnag = VendorKeys(
        name: "bugsnag-json",
        summary: "Bugsnag’s events with native frames, as JSON",
        marks: [["frameAddress", "machoLoadAddress"], ["frameAddress", "loadAddress"]],
        events: ["events"],
        stacks: [
            Stacks(list: "exceptions", frames: "stacktrace", type: ["errorClass"], message: ["message"]),
            Stacks(list: "threads", frames: "stacktrace", name: "name", number: "id", crashed: "errorReportingThread"),
        ],
        frame: .bugsnag)

    /// An exception of Measure (`StackFrame.swift` and `BinaryImage.swift` of its client): addresses are digits without `0x`.
    ///
    ///     {"binary_name":"App","binary_address":"000000010026a000","symbol_address":"00000001008b8c17","offset":6614039,"frame_index":0}
    static let measure = VendorKeys(
        name: "measure-json",
        summary: "Measure’s exceptions of Apple’s systems, as JSON",
        marks: [["symbol_address", "binary_address"]],
        events: ["exception"],
        stacks: [
            Stacks(list: "exceptions", frames: "frames", type: ["type", "signal"], message: ["message"], name: "thread_name"),
            Stacks(list: "threads", frames: "frames", name: "name", number: "sequence"),
        ],
        frame: JSONFrameKeys(
            address: "symbol_address", images: ["binary_name"], bases: ["binary_address"], identities: [], name: "method_name",
            file: ["file_name"], line: "line_num", isHexadecimal: true),
        images: Images(
            list: "binary_images", base: "start_addr", end: "end_addr", path: "path", identity: "uuid", architecture: "arch"))

    /// An error of Datadog's client for Apple's systems (`CrashReportSender.swift`, `DDCrashReportExporter.swift`): stacks are texts.
    ///
    ///     {"error":{"is_crash":true,"type":"SIGSEGV (#11)","message":"Application crash: SIGSEGV (Segmentation fault)",
    ///      "stack":"0   Demo   0x0000000104a38390 0x104a38000 + 912","threads":[{"name":"Thread 0","crashed":true,"stack":"0   Demo …"}]}}
    static let datadog = VendorKeys(
        name: "datadog-json",
        summary: "Datadog’s crashes of Apple’s systems, as JSON",
        marks: [["is_crash", "stack"], ["is_crash", "threads"], ["is_crash", "binary_images"]],
        events: ["error"],
        cause: Cause(type: "type", message: "message", stack: "stack", exceptionMessage: "Terminating app due to uncaught exception"),
        stacks: [Stacks(list: "threads", frames: "stack", name: "name", crashed: "crashed", areRows: true)],
        frame: JSONFrameKeys(address: "", images: [], bases: [], name: ""),
        images: Images(
            list: "binary_images", base: "load_address", end: "max_address", path: "name", identity: "uuid", architecture: "arch"))
}
