internal import BinaryPrimitives

/// Makes a report of what an Android log told.
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
        images.setArchitecture(head.architecture)
        report.process = head.process
        report.cause = head.cause
        if format == AndroidANR.name {
            report.cause = CrashCause(kind: .other)
            report.cause?.type = "ANR"
            report.cause?.message = head.cause?.message
        } else if report.cause?.type == nil {
            // A log without a signal line still tells that a process died.
            report.cause = report.cause ?? CrashCause(kind: .signal)
            report.cause?.type = "native crash"
        }
        report.platform = head.platform ?? "Android"
        report.device = head.device
        report.architecture = head.architecture
        report.timestamp = head.timestamp
        report.threads = stacks.threads.filter { !$0.frames.isEmpty }
        report.additionalBacktraces = stacks.additional.filter { !$0.frames.isEmpty }
        report.images = images.images
        report.notes = images.notes + (unwinder.note.map { [$0] } ?? [])
        return report
    }
}
