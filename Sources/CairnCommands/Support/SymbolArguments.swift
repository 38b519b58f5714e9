internal import BinaryPrimitives
internal import Console
internal import CrashLogFormats

/// Symbol files among the logs of a command line: `cairn crash.ips App.dSYM`.
enum SymbolArguments {
    /// Entries of a directory that are looked at.
    private static let maxEntries = 1000

    /// Splits operands into logs and symbol files. A symbol file without a log beside it stays a log, whose error says what to do.
    /// - Parameter isQuiet: no note says which are taken for symbol files.
    static func split(_ operands: [String], isQuiet: Bool) -> (logs: [String], symbols: [String]) {
        let symbols = operands.filter { isSymbolFile($0) }
        let logs = operands.filter { !symbols.contains($0) }
        guard !symbols.isEmpty, !logs.isEmpty else { return (operands, []) }
        if !isQuiet { for path in symbols { printDiagnostic("\(path): used as a symbol file, as with --symbols", as: .note) } }
        return (logs, symbols)
    }

    private static func isSymbolFile(_ path: String) -> Bool {
        switch path == "-" ? nil : PathKind(path: path) {
        case .directory:
            if isBundle(path) { return true }
            return Directory.entries(in: path, limit: maxEntries).contains { isBundle($0.name) || isObject(Path.join(path, $0.name)) }
        case .file: return isObject(path)
        default: return false
        }
    }

    static func isBundle(_ path: String) -> Bool { path.hasSuffix(".dSYM") || path.hasSuffix(".dSYM/") }

    private static func isObject(_ path: String) -> Bool {
        let head = FileDescriptor.head(of: path, count: 512)
        if ProgramFile.recognise(head.span) != nil { return true }
        // A universal file: a count of slices, where a class of Java has a version of 45 or more (fat.h; JVMS 4.1).
        return head.starts(with: [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0]) && head.count > 7 && (1..<45).contains(head[7])
    }
}
