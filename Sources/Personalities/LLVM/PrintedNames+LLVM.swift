internal import Demangling

extension PrintedNames {
    /// As llvm-symbolizer's options want them.
    init(_ options: LLVMSymbolizerOptions) {
        var demangler = Demangler(style: options.demangles && options.names != .short ? .simplified : .none)
        if options.isStrict { demangler.unread = [.swift, .swiftBefore4] }
        let kind: Kind = options.names == .none ? .none : options.names == .short ? .short : .linkage
        self.init(demangler, kind, usesRecordedPaths: options.paths == .relative, skipsLineZero: options.skipsLineZero)
    }
}
