internal import BinaryPrimitives

/// A layout of the paths on a server of symbol files, or in a bucket (Symbolicator's documentation, "Symbol Server Compatibility").
package enum ServerLayout: String, Sendable, Hashable, CaseIterable {
    /// `ab/cdef…/debuginfo`, `executable`, `breakpad`: Sentry's `symsorter`.
    case unified
    /// `libfoo.so/DC968DABDEC97A62CE64EA0173E42ADB0/libfoo.so.sym`: Breakpad's `SimpleSymbolSupplier`.
    case breakpad
    /// `_.debug/elf-buildid-sym-ab8d…/_.debug`, `tide.dll/5B2D3C0C6f5b000/tide.dll`: Microsoft's `symstore`, and SSQP.
    case symsrv
    /// `.build-id/ab/cdef….debug`, `502F/C0A5/1EC1/3E47/9998/684FA139DCA7`: GDB's folders, with and without `.build-id`, and LLDB's.
    case native
    /// `buildid/ab8d…/debuginfo`.
    case debuginfod

    /// Paths at which a server has a file, the likeliest first; empty where the layout has no such files.
    package func paths(of file: RequestedFile) -> [String] {
        let image = file.image
        switch (self, file.kind) {
        case (.debuginfod, let kind):
            guard let id = image.buildID?.hexadecimal else { return [] }
            if case .source(let path) = kind { return ["buildid/\(id)/source\(path)"] }
            return ["buildid/\(id)/\(kind.word)"]
        case (_, .source): return []
        case (.unified, let kind): return UnifiedStore.paths(of: image, kind)
        case (.breakpad, .debuginfo): return BreakpadStore.paths(of: image)
        case (.breakpad, .executable): return []
        case (.symsrv, let kind): return SymbolServerStore.paths(of: image, kind)
        case (.native, let kind):
            let folders = image.id.flatMap(BuildIDFolder.path)
            let elf = folders.map { [".build-id/" + $0, $0] } ?? []
            let machO = image.id.flatMap { MappedUUIDFolder.path(of: $0, below: "").map { String($0.dropFirst()) } }
            guard kind == .debuginfo else { return elf + [machO].compactMap { $0.map { $0 + ".app" } } }
            return elf.map { $0 + ".debug" } + [machO].compactMap { $0 }
        }
    }
}
