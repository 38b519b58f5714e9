internal import BinaryPrimitives
internal import CrashLogModel

/// Makes a report of the content of an Android log.
enum AndroidReport {
    static func make(_ format: String, head: AndroidHead, stacks: AndroidStacks, identities: [(path: String, id: ImageID)]) -> CrashReport {
        var report = CrashReport(format: format)
        var stacks = stacks
        var unwinder = head.unwinder
        var images = AndroidImages()
        stacks.resolve(images: &images, unwinder: &unwinder)
        for (path, id) in identities { images.note(path: path, id: id, base: nil, size: nil) }
        for (path, file) in head.map.files {
            images.note(path: path, id: file.id, base: RuntimeAddress(file.base), size: file.size)
        }
        let architecture = head.architecture ?? stacks.architecture
        images.setArchitecture(architecture)
        report.process = head.namedProcess
        report.cause = head.cause
        if format == AndroidANR.name {
            report.cause = CrashCause(kind: .other, type: "ANR")
            report.cause?.message = head.cause?.message
        } else if report.cause?.type == nil {
            // A log without a signal line still shows that a process died.
            report.cause = report.cause ?? CrashCause(kind: .signal)
            report.cause?.type = "native crash"
        }
        report.platform = head.platform ?? "Android"
        report.device = head.device
        report.architecture = architecture
        report.timestamp = head.timestamp
        report.threads = stacks.threads.filter { !$0.frames.isEmpty }
        report.additionalBacktraces = stacks.additional.filter { !$0.frames.isEmpty }
        report.images = images.images
        let sorted = SortedImages(report.images)
        report.changeStacks { stack in
            for index in stack.frames.indices where stack.frames[index].image == nil {
                stack.frames[index].image = stack.frames[index].address.flatMap { sorted.index(containing: $0) }
            }
        }
        report.notes = images.notes + (unwinder.note.map { [$0] } ?? [])
        return report
    }
}
