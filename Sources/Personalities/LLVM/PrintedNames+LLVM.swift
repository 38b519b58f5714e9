internal import Demangling

extension PrintedNames {
    /// Uses the forms of names and paths that llvm-symbolizer's options select.
    init(_ options: LLVMSymbolizerOptions) {
        var demangler = Demangler(style: options.demangles && options.names != .short ? .simplified : .none)
        if options.isStrict { demangler.unread = [.swift, .swiftBefore4] }
        let kind: Kind = options.names == .none ? .none : options.names == .short ? .short : .linkage
        self.init(demangler, kind, usesRecordedPaths: options.paths == .relative, skipsLineZero: options.skipsLineZero)
    }
}
