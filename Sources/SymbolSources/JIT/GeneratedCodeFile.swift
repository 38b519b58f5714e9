package import BinaryPrimitives
internal import ObjectFiles
internal import Synchronization

/// A file in which a process wrote down the functions that it compiled while it ran: `perf-PID.map` or `jit-PID.dump`. Node,
/// Java, .NET, Python, Julia and LLVM write them for perf.
///
/// Its addresses are those of that one process: link address and address in memory are the same.
package final class GeneratedCodeFile: SymbolFile {
    package let file: MappedFile
    /// The process that wrote it, by its header or its name; `nil` where neither has a number.
    package let process: Int?
    package let machine: Architecture?
    private let format: Format
    private let loaded = Mutex<Functions?>(nil)

    private enum Format: Sendable {
        case perfMap
        case jitdump(Jitdump)
    }

    /// The functions, and the bytes by which the addresses of rows are too large.
    private struct Functions: Sendable {
        var code: GeneratedCode
        var rowBias: UInt64 = 0
    }

    /// - Returns: `nil` if it does not begin like one of the two.
    package init?(_ file: MappedFile) {
        let head = file.bytes(in: 0..<min(file.size, 1 << 12))
        if let dump = Jitdump(head.span.rawBytes) {
            (format, process) = (.jitdump(dump), dump.process)
            machine = Architecture(elfMachine: dump.machine, is64Bit: true)
        } else if file.path.hasSuffix(".map"), PerfMap.begins(head.span) {
            (format, process, machine) = (.perfMap, Self.number(in: Path.name(of: file.path)), nil)
        } else {
            return nil
        }
        self.file = file
    }

    /// The files that a process of that number writes.
    package static func names(ofProcess number: Int) -> [String] { ["perf-\(number).map", "jit-\(number).dump"] }

    /// `perf-5016.map`.
    private static func number(in name: String) -> Int? {
        guard name.hasPrefix("perf-"), name.hasSuffix(".map") else { return nil }
        return Int(name.dropFirst(5).dropLast(4))
    }

    package var path: String { file.path }
    package var identity: ImageID? { nil }
    package var baseAddress: LinkAddress { LinkAddress(0) }
    package var imageSize: UInt64? { nil }
    package var hasDebugInformation: Bool { if case .jitdump = format { true } else { false } }
    package var holdsCode: Bool { false }

    /// The addresses of its functions, in any order; they overlap where memory was used again.
    package var code: [Range<UInt64>] { functions.code.functions.map(\.range) }

    private var functions: Functions {
        loaded.withLock { known in
            if let known { return known }
            let read = file.withBytes { bytes in
                switch format {
                case .perfMap:
                    return Functions(code: GeneratedCode(PerfMap.functions(bytes.text, limit: Limits.standard.generatedFunctions)))
                case .jitdump(let dump):
                    let (functions, rowBias) = dump.functions(bytes, limit: Limits.standard.generatedFunctions)
                    return Functions(code: GeneratedCode(functions), rowBias: rowBias)
                }
            }
            file.releasePages()
            known = read
            return read
        }
    }

    /// Returns the function at an address of the process.
    func result(at address: UInt64) -> SymbolResult {
        let functions = self.functions
        guard let function = functions.code.function(at: address), !function.name.isEmpty else { return .unresolved(.betweenSymbols) }
        return file.withBytes { bytes in
            var location: SourceLocation?
            if case .jitdump(let dump) = format, let lines = function.lines {
                let moved = lines.start &- function.range.lowerBound
                location = dump.location(
                    of: address &+ moved, in: lines, size: UInt64(function.range.count), bias: functions.rowBias, bytes)
            }
            let name = bytes.clamped(to: function.name).prefix(Limits.standard.nameLength).string()
            return .found([
                SourceFrame(
                    name: name, entry: ImageOffset(function.range.lowerBound), isInlined: false, location: location,
                    origin: location == nil ? .symbolTable : .debugInformation)
            ])
        }
    }
}

/// Resolves addresses of a process in the code that it compiled.
package struct GeneratedCodeSource: SymbolSource {
    private let file: GeneratedCodeFile

    package init(_ file: GeneratedCodeFile) { self.file = file }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] { offsets.map { file.result(at: $0.value) }.believed(file.file) }
    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] { addresses.map { file.result(at: $0.value) }.believed(file.file) }
    package func offset(of address: LinkAddress) -> ImageOffset? { ImageOffset(address.value) }
    package func locate(_ locations: [ImageLocation]) -> [LocateResult] {
        locations.map { location in
            if case .linkAddress(let address) = location { .found([address]) } else { .unresolved(.needsImageOffset) }
        }
    }
}
