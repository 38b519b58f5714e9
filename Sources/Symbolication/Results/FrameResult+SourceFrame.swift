package import BinaryPrimitives
package import CrashLogModel
package import Demangling
package import SymbolFiles
package import SymbolSources

extension SymbolicatorOptions {
    /// A function of a symbol source as results show it: its plain name, and its path by the maps.
    /// - Parameters:
    ///   - raw: the frame's offset in the image, to which the function's offset counts.
    ///   - own: the symbol file's own maps of paths.
    ///   - read: reads a mangled name, as the demangler does.
    /// - Returns: the function, and what its name was read as.
    package func function(
        _ frame: SourceFrame, raw: ImageOffset?, _ own: [PathMap], read: (String) -> DemangledName
    ) -> (function: FrameResult.Function, name: DemangledName) {
        let plain = frame.name.withoutSymbolVersion
        let name = read(plain)
        var function = FrameResult.Function(
            name: name.text, mangledName: plain,
            offset: frame.isInlined ? nil : frame.entry.flatMap { entry in raw.flatMap { $0.distance(from: entry) } },
            isInlined: frame.isInlined, location: frame.location.map { sourcePaths.reported($0, own) })
        function.symbolVersion = frame.name.symbolVersion
        function.alsoAt = frame.alsoAt.map { demangler.read($0).text }
        return (function, name)
    }
}
