package import BinaryPrimitives
package import DWARF
internal import ObjectFiles

/// Details of a frame that only some tools print. A class, because nearly all frames go without.
package final class FrameDetails: Sendable {
    /// The function's plain name, from which its linkage name is mangled; `nil` where the debug information
    /// does not give it.
    package let plainName: String?
    /// The location's path without the compilation directory; `nil` where there is no location.
    package let recordedFile: String?
    /// Which block of the location's line (DWARF 5, section 6.2.2); zero: not given.
    package let discriminator: UInt64
    /// The text of the location's file, if the compiler was set to keep it.
    package let source: String?
    /// The last line before the address, if the compiler attributes the code to no line (`--skip-line-zero`).
    package let lineBefore: FrameDetails.LineBefore?
    /// Flags of the location's row, if rows were requested.
    package let rowFlags: LineRowFlags
    /// Location of the function's declaration; `nil` if it is not given.
    package let declaration: SourceLocation?
    /// Path of the declaration's file without the compilation directory.
    package let recordedDeclarationFile: String?
    /// The declaration's file is given in a form that LLVM does not read.
    package let isDeclarationFileImplicit: Bool
    /// Start address of the entry (`DW_AT_low_pc`); `nil` where it does not give one: code in several ranges.
    package let entryStart: LinkAddress?
    /// Start of the symbol that names the function that holds the code; `nil` where there is none.
    package let symbolStart: LinkAddress?

    /// A line near code that has no line.
    package struct LineBefore: Sendable {
        package let location: SourceLocation
        /// Without the compilation directory.
        package let recordedFile: String?
        package let discriminator: UInt64
    }

    /// - Parameter innermost: the result for the address itself; `nil` for frames that it is inlined into.
    init(
        _ location: DWARFResultDetails.Location?, _ declaration: SubroutineDeclaration?, innermost: DWARFResultDetails?,
        symbolStart: LinkAddress?
    ) {
        rowFlags = innermost?.rowFlags ?? LineRowFlags()
        lineBefore = innermost.flatMap { debug in
            debug.lineBefore.map {
                LineBefore(
                    location: $0, recordedFile: debug.locationBefore?.recordedFile, discriminator: debug.locationBefore?.discriminator ?? 0)
            }
        }
        plainName = declaration?.plainName
        recordedFile = location?.recordedFile
        discriminator = location?.discriminator ?? 0
        source = location?.source
        self.declaration = declaration?.file.map { SourceLocation(file: $0.path, line: declaration?.line ?? 0) }
        recordedDeclarationFile = declaration?.file?.recorded
        isDeclarationFileImplicit = declaration?.isFileImplicit ?? false
        entryStart = declaration?.lowPC
        self.symbolStart = symbolStart
    }
}

/// Details from the debug information on an address's innermost row and on the function that holds the code, in
/// addition to a result.
package struct ResultDetails: Sendable {
    /// Which block of the innermost frame's line the address is in (DWARF 5, section 6.2.2); zero:
    /// not given.
    package var discriminator: UInt64 = 0
    /// Name of the function that holds the code, by the debug information: its linkage name, else its plain
    /// one; `nil` where it does not give one.
    package var functionName: String?

    package init() {}

    init(discriminator: UInt64, functionName: String?) {
        self.discriminator = discriminator
        self.functionName = functionName
    }
}

/// A result with what only some tools print.
package struct DetailedResult: Sendable {
    package var result: SymbolResult
    /// Details for each frame of the result; empty if there are no frames.
    package var details: [FrameDetails] = []

    package init(_ result: SymbolResult) { self.result = result }

    /// - Parameters:
    ///   - debug: what the frames were made of, if there is debug information.
    ///   - symbolStart: of the symbol that names the outermost frame.
    init(_ result: SymbolResult, _ debug: DWARFResultDetails?, symbolStart: LinkAddress?) {
        self.result = result
        guard case .found(let frames) = result else { return }
        details = frames.indices.map { index in
            // A function has its call site; a frame has its own location.
            let caller = debug.flatMap { $0.functions.count >= index && index > 0 ? $0.functions[index - 1] : nil }
            let location = index == 0 ? debug?.location : caller?.callSite
            let function = debug.flatMap { $0.functions.count > index ? $0.functions[index] : nil }
            return FrameDetails(
                location, function?.declaration, innermost: index == 0 ? debug : nil,
                symbolStart: index == frames.count - 1 ? symbolStart : nil)
        }
    }
}

extension ObjectSource {
    /// Returns the results of `frames(at:)` with details.
    /// - Parameters:
    ///   - offsets: ascending.
    ///   - withRows: also returns rows' flags, and lines before code that has no line.
    package func detailedFrames(at offsets: [ImageOffset], withRows: Bool = false) -> [DetailedResult] {
        detailedFrames(offsets.count, withRows) { $0.resolve(offsets[$1]) }
    }

    /// Does the same for link addresses, as in `frames(at addresses:)`.
    package func detailedFrames(at addresses: [LinkAddress], withRows: Bool = false) -> [DetailedResult] {
        detailedFrames(addresses.count, withRows) { .address(addresses[$1]) }
    }

    private func detailedFrames(_ count: Int, _ withRows: Bool, resolve: (ObjectLookup, Int) -> ObjectFile.ResolvedOffset)
        -> [DetailedResult]
    {
        var results = [DetailedResult](repeating: DetailedResult(.unresolved(.noSymbol)), count: count)
        var open = Array(results.indices)
        let hasDebugInformation = objects.contains { $0.hasDebugInformation }
        for number in objects.indices where !open.isEmpty {
            let lookup = lookup(number, usesDebugMap: !hasDebugInformation)
            for (index, found) in zip(
                open, lookup.detailedFrames(at: open.map { resolve(lookup, $0) }, withRows ? [.entries, .rows] : .entries))
            where found.result.better(than: results[index].result) == found.result { results[index] = found }
            open.removeAll { results[$0].result.isComplete }
        }
        if let change { return results.map { _ in DetailedResult(.unresolved(.changedFile(change))) } }
        return results
    }

    /// Returns the results of `frames(at:)`, and details of their rows.
    /// - Parameters:
    ///   - offsets: ascending.
    ///   - details: receives, for each offset, details of the row and of the function that holds the code.
    package func frames(at offsets: [ImageOffset], details: inout [ResultDetails]) -> [SymbolResult] {
        frames(offsets.count, details: &details) { $0.resolve(offsets[$1]) }
    }

    /// Does the same for link addresses, as in `frames(at addresses:)`.
    package func frames(at addresses: [LinkAddress], details: inout [ResultDetails]) -> [SymbolResult] {
        frames(addresses.count, details: &details) { .address(addresses[$1]) }
    }

    private func frames(
        _ count: Int, details: inout [ResultDetails], resolve: (ObjectFile, Int) -> ObjectFile.ResolvedOffset
    ) -> [SymbolResult] {
        details = [ResultDetails](repeating: ResultDetails(), count: count)
        var results = [SymbolResult](repeating: .unresolved(.noSymbol), count: count)
        var open = Array(results.indices)
        let hasDebugInformation = objects.contains { $0.hasDebugInformation }
        for number in objects.indices where !open.isEmpty {
            let lookup = lookup(number, usesDebugMap: !hasDebugInformation)
            let found = lookup.frames(at: open.map { resolve(objects[number], $0) }) { index, debug, _ in
                let function = debug?.functions.last.flatMap { $0.isInlined ? nil : $0.name }
                details[open[index]] = ResultDetails(discriminator: debug?.discriminator ?? 0, functionName: function)
            }
            for (index, result) in zip(open, found) { results[index] = result.better(than: results[index]) }
            open.removeAll { results[$0].isComplete }
        }
        if let change {
            details = [ResultDetails](repeating: ResultDetails(), count: count)
            return results.map { _ in .unresolved(.changedFile(change)) }
        }
        return results
    }
}
