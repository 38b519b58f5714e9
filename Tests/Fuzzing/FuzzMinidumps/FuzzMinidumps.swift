internal import BinaryPrimitives
internal import MemoryImages
internal import Unwinding

/// Reads the bytes as a minidump, and as the Breakpad file of its images.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    var limits = Limits.standard
    (limits.threads, limits.images, limits.sections) = (256, 256, 1024)
    (limits.framesPerThread, limits.framesPerReport, limits.scannedWordsPerStack) = (64, 256, 256)
    guard let file = try? MappedFile(bytes: bytes, name: "input"), var image = try? MinidumpReader.read(file, limits: limits) else {
        return 0
    }
    precondition(image.threads.count <= limits.threads && image.files.count <= limits.images && image.notes.count < 600)
    precondition(image.exceptions.count <= limits.threads && image.guards.count <= limits.sections)
    precondition(image.crashedThread.map(image.threads.indices.contains) ?? true)
    precondition(zip(image.files, image.files.dropFirst()).allSatisfy { $0.base <= $1.base })
    for file in image.files {
        _ = image.identity(of: file)
        // A longer path would mean that bytes of the file were read twice.
        precondition(file.path.utf8.count <= count * 3)
        for (part, next) in zip(file.parts, file.parts.dropFirst()) { precondition(part.range.lowerBound <= next.range.lowerBound) }
    }
    let strings = image.annotations.map { $0.name.utf8.count + $0.value.utf8.count } + image.files.map(\.path.utf8.count)
    precondition(strings.reduce(0, +) <= (count + 1 << 17) * 3 + image.files.count * 64)
    // Each thread may be unwound, which takes longer than reading.
    image.threads.removeLast(max(0, image.threads.count - 8))
    let breakpad = BreakpadFrames(file)
    for stack in image.stacks(image.modules { _ in ImageFiles(breakpad: breakpad) }, limits: limits) {
        precondition((1...limits.framesPerThread).contains(stack.frames.count))
        precondition(stack.frames.first?.trust == .context)
        for (frame, caller) in zip(stack.frames, stack.frames.dropFirst()) where !caller.isExact {
            precondition(caller.stackPointer > frame.stackPointer || frame.isExact)
        }
    }
    for stack in image.stacks(image.modules { _ in ImageFiles() }, limits: limits) { precondition(!stack.frames.isEmpty) }
    return 0
}
