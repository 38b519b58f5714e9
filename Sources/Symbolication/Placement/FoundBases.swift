internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles
internal import SymbolSources

/// A report whose images without a base got one from the return addresses in them.
struct FoundBases {
    private(set) var report: CrashReport
    /// One sentence for each base, or for how near a file was.
    private(set) var notes: [String] = []
    /// The given files that became images, by the image's index.
    private(set) var paths: [Int: String] = [:]
    private(set) var findings: [Int: BaseFinding] = [:]

    /// - Parameters:
    ///   - symbols: returns the symbols of an image of the report, by its index.
    ///   - given: returns the given files; called only where rows are in no image.
    ///   - running: programs that may have written the log. The user did not name them, so that their code must
    ///     prove it even if they are at their link addresses.
    init(_ report: CrashReport, symbols: (Int) -> ImageSymbols, given: () -> [UnslidImage], running: () -> [UnslidImage]) {
        self.report = report
        guard report.obstacle == nil, Self.hasOpenFrame(report) else { return }
        let rows = Rows(report)
        // An image with one resolved row has its base, or does not need one.
        for (index, stacks) in rows.inImages.sorted(by: { $0.key < $1.key }) {
            guard let code = symbols(index).code, case .found(let finding)? = Self.vote(stacks, code)?.outcome else { continue }
            setBase(ofImage: index, code, finding)
        }
        guard !rows.loose.isEmpty else { return }
        // A file whose image has a base is not also at another address.
        var known = Set(report.images.lazy.filter { $0.base != nil }.compactMap(\.id).map(FileKey.identity))
        let given = given()
        // A file that has code where the log has addresses is where it was linked.
        let unplaced = given.filter { file in !rows.addresses.contains { file.covers(RuntimeAddress($0)) } }
        // The program that runs may be a given file, too, and then is no second one; of a program and its debug file, the program
        // has more calls.
        let witnesses = unplaced.filter { $0.symbols.code?.callSites != nil } + running()
        let ranked = witnesses.filter { $0.symbols.code?.isDescribed != true } + witnesses.filter { $0.symbols.code?.isDescribed == true }
        let files = ranked.filter { known.insert(FileKey($0)).inserted }
        if !files.isEmpty { solve(files, rows) }
        guard findings.isEmpty else { return }
        for file in unplaced where file.symbols.code?.callSites == nil {
            notes.append(
                "\(file.path) has no code to find its load address from: it is a debug file. Give its program, too: --symbols PROGRAM")
        }
    }

    /// Tells a slice of a file from others.
    private enum FileKey: Hashable {
        case identity(ImageID)
        case slice(path: String, Architecture?)

        init(_ file: UnslidImage) {
            if let id = file.id { self = .identity(id) } else { self = .slice(path: file.path, file.architecture) }
        }
    }

    /// The rows whose position in an image is not known.
    private struct Rows {
        /// Rows in images of the report without a base, stack by stack.
        var inImages: [Int: [[BaseVote.Row]]] = [:]
        /// Rows without an image, with the name that the row has for one.
        var loose: [[(row: BaseVote.Row, name: String?)]] = []
        var addresses: Set<UInt64> = []

        init(_ report: CrashReport) {
            for stack in report.stacks {
                let below = StackRows.belowTrampolines(stack, of: report)
                var own: [Int: [BaseVote.Row]] = [:]
                var free: [(BaseVote.Row, String?)] = []
                for (index, frame) in stack.frames.enumerated() where !frame.isInlined {
                    guard let address = frame.address, FoundBases.isOpen(frame, report.images) else { continue }
                    var isAsExecuted = false
                    if case .programCounter = frame.kind { isAsExecuted = true }
                    let row = BaseVote.Row(address: address, isExact: isAsExecuted, mayBeInterrupted: below[index])
                    if let image = frame.image {
                        own[image, default: []].append(row)
                    } else if !report.images.contains(where: { $0.contains(address) }) {
                        free.append((row, frame.imageName))
                        addresses.insert(address.value)
                    }
                }
                for (image, rows) in own { inImages[image, default: []].append(rows) }
                if !free.isEmpty { loose.append(free) }
            }
        }
    }

    /// Nearly no report of an operating system has one: then nothing is gathered.
    private static func hasOpenFrame(_ report: CrashReport) -> Bool {
        for stack in report.stacks {
            for frame in stack.frames where !frame.isInlined && isOpen(frame, report.images) { return true }
        }
        return false
    }

    /// Whether the frame has an address and no more.
    fileprivate static func isOpen(_ frame: Frame, _ images: [BinaryImage]) -> Bool {
        // The first page and the last are never mapped: a null pointer, an error number.
        guard let address = frame.address, address.value >= 4096, address.value < UInt64.max - 4096 else { return false }
        guard frame.imageLocation == nil || frame.imageLocation == .linkAddress(LinkAddress(address.value)) else { return false }
        guard let image = frame.image, images.indices.contains(image) else { return frame.imageLocation == nil }
        return images[image].base == nil && images[image].textAddress == nil && !images[image].isPlaceholder
    }

    /// - Returns: the bias that wins, by the address as it is; else by the address that its writer
    ///   has moved back.
    private static func vote(_ stacks: [[BaseVote.Row]], _ code: CodeWitness) -> (outcome: BaseVote.Outcome, shift: UInt64)? {
        var nearest: (outcome: BaseVote.Outcome, shift: UInt64)?
        for shift in [0] + shifts(code.architecture) {
            guard let outcome = BaseVote(stacks, code, shift: shift)?.outcome() else { continue }
            if case .found = outcome { return (outcome, shift) }
            nearest = nearest ?? (outcome, shift)
        }
        return nearest
    }

    /// Bytes that writers subtract from return addresses: one, or one instruction.
    private static func shifts(_ architecture: Architecture) -> [UInt64] {
        switch architecture.family {
        case "arm64", "ppc", "ppc64", "ppc64le": [1, 4]
        case "riscv32", "riscv64", "arm": [1, 2]
        case "mips", "mips64", "sparc", "sparcv9": [1, 8]
        default: [1]
        }
    }

    private mutating func setBase(ofImage index: Int, _ code: CodeWitness, _ finding: BaseVote.Finding) {
        let (base, overflow) = code.base.value.addingReportingOverflow(finding.bias)
        guard !overflow, fits(base..<base &+ (code.imageSize ?? 1), besides: index) else { return }
        report.images[index].base = RuntimeAddress(base)
        report.images[index].size = report.images[index].size ?? code.imageSize
        let images = report.images
        report.changeStacks { stack in
            for position in stack.frames.indices {
                let frame = stack.frames[position]
                guard frame.image == index, let address = frame.address, images[index].contains(address) else { continue }
                guard frame.imageLocation == nil || frame.imageLocation == .linkAddress(LinkAddress(address.value)) else { continue }
                stack.frames[position].imageLocation = .offset(ImageOffset(address.value - base))
            }
        }
        note(index, base, finding)
    }

    private mutating func solve(_ files: [UnslidImage], _ rows: Rows) {
        var solved: [(file: UnslidImage, code: CodeWitness, finding: BaseVote.Finding)] = []
        var near: (path: String, best: Int, addresses: Int)?
        for file in files {
            guard let code = file.symbols.code else { continue }
            guard report.architecture == nil || report.architecture?.family == code.architecture.family else { continue }
            let request = ImageRequest(name: file.name, path: file.path)
            let stacks = rows.loose.map { stack in
                stack.filter { $0.name.map { $0 == "???" || $0.isEmpty || request.isNamedLike(fileAt: $0) } ?? true }.map(\.row)
            }
            switch Self.vote(stacks, code)?.outcome {
            case .found(let finding)?: solved.append((file, code, finding))
            case .unclear(let best, let addresses)? where best > (near?.best ?? 1): near = (file.path, best, addresses)
            default: break
            }
        }
        for (file, code, finding) in solved.sorted(by: { $0.finding.score > $1.finding.score }) {
            let (base, overflow) = code.base.value.addingReportingOverflow(finding.bias)
            guard !overflow, let size = code.imageSize, fits(base..<base &+ size, besides: nil) else { continue }
            // Only one slice of a universal file can be loaded.
            guard solved.count(where: { $0.file.path == file.path && $0.finding.score == finding.score }) == 1 else { continue }
            add(file, code, RuntimeAddress(base), size, finding)
        }
        if findings.isEmpty, let near {
            notes.append(
                "no load address of \(near.path) fits the log: the best explains \(near.best) of \(near.addresses) addresses, which is too few or no more than others do"
            )
        }
    }

    private mutating func add(_ file: UnslidImage, _ code: CodeWitness, _ base: RuntimeAddress, _ size: UInt64, _ finding: BaseVote.Finding)
    {
        let index = report.images.count
        var image = BinaryImage(name: file.name, path: file.path)
        image.architecture = file.architecture
        // It leads from a stripped program to the debug file of its build.
        image.id = file.id
        image.base = base
        image.size = size
        let images = report.images
        report.changeStacks { stack in
            for position in stack.frames.indices {
                let frame = stack.frames[position]
                guard let address = frame.address, frame.image == nil, Self.isOpen(frame, images), image.contains(address) else { continue }
                stack.frames[position].image = index
                stack.frames[position].imageLocation = .offset(ImageOffset(address.value - base.value))
            }
        }
        report.images.append(image)
        paths[index] = file.path
        note(index, base.value, finding)
    }

    /// Images do not overlap.
    private func fits(_ range: Range<UInt64>, besides index: Int?) -> Bool {
        report.images.indices.allSatisfy { other in
            guard other != index, let base = report.images[other].base?.value, !report.images[other].isPlaceholder else { return true }
            let end = base.addingReportingOverflow(report.images[other].size ?? 1)
            return end.overflow || range.upperBound <= base || end.partialValue <= range.lowerBound
        }
    }

    private mutating func note(_ index: Int, _ base: UInt64, _ finding: BaseVote.Finding) {
        findings[index] = BaseFinding(explained: finding.explained, addresses: finding.addresses, runnerUp: finding.runnerUp)
        notes.append(
            "load address \(RuntimeAddress(base)) of \(report.images[index].name) found from \(finding.explained) of \(finding.addresses) return addresses; the next best explains \(finding.runnerUp)"
        )
    }
}

/// How the load address of an image was found that the log does not have.
package struct BaseFinding: Sendable, Hashable {
    /// How many different addresses directly follow calls of the image when it is loaded there, of
    /// all that may be in it.
    package var explained: Int
    package var addresses: Int
    /// How many of them the next best load address explains.
    package var runnerUp: Int
}
