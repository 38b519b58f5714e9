internal import BinaryPrimitives
internal import CrashLogModel
internal import MemoryImages
internal import ObjectFiles
internal import SymbolFiles
internal import SymbolSources
internal import Symbolication
internal import Unwinding

/// Finds the files of images while their stacks are unwound: the same files that symbols come from.
struct ImageFinder: Sendable {
    let report: CrashReport
    let provider: any SymbolProvider
    let origin: LogOrigin?
    let memory: MemoryImage
    /// The images that the user describes.
    let given: [GivenImage]

    /// Returns the files of an image whose code was executed: its binary, its debug file, or both; and its
    /// Breakpad file.
    func files(of file: MappedImage) -> ImageFiles {
        guard let image = report.images.first(where: { $0.base?.value == file.base }) else { return ImageFiles() }
        let named = given.first { image.isCalled($0.shownName) }
        let request = ImageRequest(image, in: report, givenPath: named?.path, folders: origin?.folders ?? [])
        let opened = provider.symbols(for: request, evidence: CodeEvidence(origin: origin)).opened
        var objects = opened.compactMap { $0 as? ObjectFile }
        // Without an identity, the memory shows whether it is this build.
        if image.id == nil { objects = objects.filter { !$0.holdsCode || memory.holdsBeginning(of: $0, at: file) != false } }
        let breakpad = opened.lazy.compactMap { $0 as? BreakpadFile }.first
        return ImageFiles(objects, breakpad: breakpad.map { BreakpadFrames($0.file) })
    }

    /// Returns at most `count` bytes at an address: from memory, else from the file that is mapped there.
    func bytes(at address: UInt64, count: Int) -> [UInt8] {
        let saved = memory.memory.bytes(at: address, count: count)
        guard saved.isEmpty else { return saved }
        guard let file = memory.files.first(where: { $0.parts.contains { $0.range.contains(address) } }) else { return [] }
        for object in files(of: file).objects where object.holdsCode {
            let found = file.bias(of: object).flatMap { bias in
                ImageBytes(object).withBytes(at: LinkAddress(address &- bias)) { bytes in
                    (0..<min(count, bytes.byteCount)).map { bytes.byte(at: $0) }
                }
            }
            if let found { return found }
        }
        return []
    }
}
