internal import BinaryPrimitives
internal import MemoryImages
internal import ObjectFiles
internal import Unwinding

/// Reads the bytes as a core, and as its program and libraries.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    var limits = Limits.standard
    (limits.threads, limits.images, limits.sections) = (256, 256, 1024)
    (limits.framesPerThread, limits.framesPerReport, limits.scannedWordsPerStack) = (64, 256, 256)
    guard let file = try? MappedFile(bytes: bytes, name: "input"), var image = try? CoreReader.read(file, limits: limits) else { return 0 }
    precondition(image.threads.count <= limits.threads && image.notes.count < 600)
    precondition(image.crashedThread.map(image.threads.indices.contains) ?? true)
    for file in image.files {
        _ = image.identity(of: file)
        precondition(file.parts.allSatisfy { !$0.range.isEmpty })
    }
    let objects = (try? ObjectFiles.openAll(file)) ?? []
    if let object = objects.first {
        image.addFiles(program: object, path: "input", limits: limits) { _ in object }
        precondition(image.files.count <= limits.images + 1)
    }
    image.threads.removeLast(max(0, image.threads.count - 8))
    for files in [ImageFiles(), ImageFiles(objects)] {
        for (thread, stack) in zip(image.threads, image.stacks(image.modules { _ in files }, limits: limits)) {
            precondition((1...limits.framesPerThread).contains(stack.frames.count))
            precondition(stack.frames.first?.trust == .context)
            if let found = image.interruptingSignal(of: thread, stack) { precondition(stack.frames.indices.contains(found.frame)) }
        }
    }
    return 0
}
