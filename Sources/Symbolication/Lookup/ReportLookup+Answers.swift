internal import BinaryPrimitives
internal import CrashLogModel
internal import Demangling
internal import SymbolFiles
internal import SymbolSources

/// The results from the symbols, put into the report.
extension ReportLookup {
    mutating func answer(_ file: UnslidImage, number: Int) -> ImageOutcome {
        var image = BinaryImage(name: file.name, path: file.path)
        image.architecture = file.architecture
        image.id = file.id
        image.base = RuntimeAddress(file.base.value)
        let wanted = lookups[number] ?? []
        guard let source = file.symbols.source else { return answer(wanted, [], with: file.symbols, image: image) }
        let (found, exact) = results(of: wanted, in: source)
        return answer(wanted, found, with: file.symbols, image: image, exact: exact)
    }

    /// - Parameter answers: one result for each wanted lookup.
    mutating func answer(
        _ wanted: [Lookup], _ answers: [PlaceLookup.Found], with symbols: ImageSymbols, image: BinaryImage,
        exact: [Int: PlaceLookup.Found] = [:], number: Int? = nil
    ) -> ImageOutcome {
        var outcome = ImageOutcome(image: image, status: .found, files: symbols.files, refusals: symbols.refusals)
        guard let source = symbols.source else {
            outcome.status = .missing
            fail(wanted, with: outcome.reason ?? "")
            return outcome
        }
        if symbols.isForced, let path = symbols.files.first?.candidate.path {
            result.notes.append("using \(path) for \(image.name) although the build ID or UUID differs (--force)")
        } else if symbols.files.contains(where: { $0.proof == .path }) {
            for file in symbols.files where file.proof == .path && !localPaths.contains(file.candidate.path) {
                localPaths.append(file.candidate.path)
            }
        } else if image.id == nil, !report.images.isEmpty, let candidate = symbols.files.first?.candidate,
            number.flatMap({ placing.bases[$0] }) == nil
        {
            var tie = placing.given.names(candidate.path) ? "as given" : "matched by name"
            if placing.filesByFunctions.contains(candidate.path) { tie = "matched by the functions that the log names" }
            if case .archiveOffset = candidate.origin { tie = "matched by its offset in the archive" }
            if symbols.files.contains(where: { $0.proof == .memory }) { tie = "it begins as the one in memory" }
            result.notes.append("using \(candidate.path) for \(image.name) (\(tie); the log has no build ID)")
        }
        var notes: [String] = []
        let contradictions = contradictions(wanted, answers, image: number, source)
        if let first = contradictions.min(by: { $0.key < $1.key }) {
            let frame = thread(wanted[first.key].position.stack).frames[wanted[first.key].position.frame].index
            let more = contradictions.count > 1 ? " (\(contradictions.count - 1) more rows of \(image.name) are like it)" : ""
            result.notes.append("frame \(frame): \(first.value)\(more)")
        }
        for (index, (lookup, call)) in zip(wanted, answers).enumerated() {
            if let reason = contradictions[index] {
                update(lookup.position) { $0.result = .unresolved(reason) }
                continue
            }
            // An undecided address is looked up as it is, and the other result is kept as the alternative.
            let found = exact[index].map { $0.answer.saysSame(as: call.answer) ? call : $0 } ?? call
            if let other = exact[index], !other.answer.saysSame(as: call.answer) {
                useExact(lookup, instead: call, image.name, symbols.sourcePaths)
            }
            update(lookup.position) {
                $0.isForced = symbols.isForced
                $0.imageOffset = $0.imageOffset ?? found.raw
            }
            switch found.answer {
            case .found(let frames):
                let answered = functions(frames, raw: found.raw, symbols.sourcePaths)
                let origin = frames.last?.origin ?? .symbolTable
                let note = frames.last?.note
                update(lookup.position) {
                    $0.result = .resolved(FrameResult(functions: answered, imageName: image.name), origin)
                    $0.note = note
                }
                if let note, !notes.contains(note) { notes.append(note) }
            case .unresolved(let reason):
                update(lookup.position) {
                    $0.result = .unresolved(reason.sentence)
                    $0.remedy = reason.remedy
                }
            }
        }
        // A program may have been linked from thousands of object files.
        result.notes += notes.prefix(10).map { "\(image.name): \($0)" }
        if notes.count > 10 { result.notes.append("\(image.name): and \(notes.count - 10) more like these") }
        return outcome
    }

    /// A frame that may be a return address, or what a signal interrupted, and whose two results
    /// differ.
    mutating func useExact(_ lookup: Lookup, instead call: PlaceLookup.Found, _ imageName: String, _ own: [PathMap]) {
        result.report.changeFrame(at: lookup.position) { $0.kind = .programCounter }
        var alternative: FrameResult?
        if case .found(let frames) = call.answer {
            alternative = FrameResult(functions: functions(frames, raw: call.raw, own), imageName: imageName)
        }
        let number = thread(lookup.position.stack).frames[lookup.position.frame].index
        update(lookup.position) {
            $0.kindEvidence = .undecided
            $0.alternative = alternative
            if let address = $0.lookupAddress, lookup.isAdjusted { $0.lookupAddress = RuntimeAddress(address.value &+ 1) }
        }
        let other = alternative?.functions.first.map { function in
            ": as a return address it would be in \(function.name)"
                + (function.location.map { ", \(Path.name(of: $0.file)):\($0.line)" } ?? "")
        }
        result.notes.append(
            "frame \(number) may be what a signal interrupted, and is looked up unadjusted\(other ?? ""). The C library's file would decide it"
        )
    }

    mutating func functions(_ frames: [SourceFrame], raw: ImageOffset?, _ own: [PathMap]) -> [FrameResult.Function] {
        let shown = options.showsInlinedCalls ? frames[...] : frames.suffix(1)
        return shown.map { frame in
            let (function, name) = options.function(frame, raw: raw, own) { mangled in
                // Most functions of a report occur many times.
                if let known = names.value(for: mangled) { return known }
                let name = options.demangler.read(mangled)
                names.insert(name, for: mangled)
                return name
            }
            if name.staysMangled, options.demangler.style != .none {
                let isLong = function.mangledName.utf8.count > options.demangler.limits.mangledNameLength
                if isLong { meetsLongName = true } else { meetsUnreadName = true }
            }
            if !function.alsoAt.isEmpty { note(function) }
            return function
        }
    }

    /// Says that a function shares its code with others.
    private mutating func note(_ function: FrameResult.Function) {
        let shown = function.alsoAt.prefix(3).joined(separator: ", ")
        let more = function.alsoAt.count > 3 ? " and \(function.alsoAt.count - 3) more" : ""
        let note =
            "\(function.name) has the same code as \(shown)\(more), folded into one at build time: any of them may have been called"
        if !result.notes.contains(note), result.notes.count < Self.maxNotes { result.notes.append(note) }
    }

    private static let maxNotes = 32

    mutating func fail(_ wanted: [Lookup], with reason: String) {
        for lookup in wanted { update(lookup.position) { $0.result = .unresolved(reason) } }
    }

    mutating func update(_ position: FramePosition, _ change: (inout FrameOutcome) -> Void) {
        switch position.stack {
        case .exception: change(&result.exceptionBacktrace[position.frame])
        case .additional(let index): change(&result.additionalBacktraces[index][position.frame])
        case .thread(let index): change(&result.threads[index][position.frame])
        }
    }
}
