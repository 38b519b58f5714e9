internal import BinaryPrimitives
internal import CrashLogModel

/// The event of an error that the program reported to Bugsnag, inside a KSCrash report
/// (`user.event`, `user.overrides.event`). `BugsnagStackframe.m` writes its frames, which bring
/// their images along.
///
///     {"method":"main","machoFile":"/…/App","machoUUID":"2EFA58F2-…","machoLoadAddress":"0x10026a000","symbolAddress":"0x1008b8b90","frameAddress":"0x1008b8c17"}
struct BugsnagEvent {
    private let event: JSONValue

    /// - Returns: `nil` if the value holds no stacks.
    init?(_ value: JSONValue?) {
        guard let value, value["exceptions"] != nil || value["threads"] != nil else { return nil }
        event = value
    }

    func add(to report: inout CrashReport, images: inout ImageTable) {
        let exceptions = event["exceptions"]?.elements ?? []
        if report.cause == nil, let first = exceptions.first {
            report.cause = CrashCause(kind: .languageException, type: first["errorClass"]?.string, message: first["message"]?.string)
        }
        for exception in exceptions.prefix(Limits.standard.threads) {
            let frames = frames(exception["stacktrace"], &images, origin: .exception)
            guard !frames.isEmpty else { continue }
            let stack = ThreadTrace(index: 0, name: exception["errorClass"]?.string, crashed: true, frames: frames)
            if report.exceptionBacktrace == nil { report.exceptionBacktrace = stack } else { report.additionalBacktraces.append(stack) }
        }
        for (index, element) in (event["threads"]?.elements ?? []).prefix(Limits.standard.threads).enumerated() {
            var thread = ThreadTrace(index: element["id"]?.int ?? index, name: element["name"]?.string)
            thread.crashed = element["errorReportingThread"]?.isTrue ?? false
            thread.frames = frames(element["stacktrace"], &images, origin: .thread)
            report.threads.append(thread)
        }
        let system = event["device"]
        if report.platform == nil, let name = system?["osName"]?.string, let version = system?["osVersion"]?.string {
            report.platform = "\(name) \(version)"
        }
        let app = event["app"]
        report.process.identifier = report.process.identifier ?? app?["id"]?.string
        report.process.version = report.process.version ?? app?["version"]?.string
    }

    /// An exception's stack is return addresses throughout, a thread's begins with its program
    /// counter, as Apple's do. (`isPC` is set on whatever frame is the first.)
    private func frames(_ list: JSONValue?, _ images: inout ImageTable, origin: AppleStack.Origin) -> [Frame] {
        var frames: [Frame] = []
        for (index, element) in (list?.elements ?? []).prefix(Limits.standard.framesPerThread).enumerated() {
            let address = element["frameAddress"]?.unsigned
            var frame = Frame(index: index, kind: .returnAddress, address: address.map { RuntimeAddress($0) }, place: element.range)
            frame.isInlined = element["inlined"]?.isTrue ?? false
            let path = element["machoFile"]?.string ?? ""
            frame.imageName = path.isEmpty ? nil : Path.foreignName(of: path)
            if let base = element["machoLoadAddress"]?.unsigned, base > 0 {
                frame.image = image(element, path: path, base: base, in: &images)
                frame.imageOffset = JSONFrame.distance(of: address, from: element["machoLoadAddress"]).map { ImageOffset($0) }
            }
            var printed = PrintedSymbol()
            printed.name = element["method"]?.string.flatMap { KSCrashStack.isName($0) ? $0 : nil }
            printed.offset = JSONFrame.distance(of: address, from: element["symbolAddress"])
            if let file = element["file"]?.string, let line = element["lineNumber"]?.int {
                printed.location = SourceLocation(file: file, line: line)
            }
            if printed.name != nil || printed.location != nil { frame.printed = printed }
            frames.append(frame)
        }
        AppleStack.decideKinds(&frames, origin: origin)
        return frames
    }

    private func image(_ element: JSONValue, path: String, base: UInt64, in images: inout ImageTable) -> Int? {
        let id = element["machoUUID"]?.string.flatMap { ImageID(text: $0) }
        return images.index(ofImageAt: RuntimeAddress(base)) {
            return BinaryImage(name: Path.foreignName(of: path), path: path.isEmpty ? nil : path, id: id)
        }
    }
}
