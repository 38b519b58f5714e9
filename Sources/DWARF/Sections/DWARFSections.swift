package import BinaryPrimitives
package import ObjectFiles
internal import Synchronization

/// The debug sections of one object file, whichever container they came in. A compressed section is
/// inflated when it is first needed.
package final class DWARFSections: Sendable {
    /// The sections that are needed to resolve addresses.
    package enum Name: Int, CaseIterable, Sendable {
        case info
        case abbrev
        case line
        case str
        case lineStr
        case strOffsets
        case addr
        case ranges
        case rnglists
        case aranges
        /// The index of a package of split units.
        case cuIndex
        /// Names the supplementary file (DWARF 5, section 7.3.6).
        case sup
        /// The same, by GNU's dwz.
        case gnuDebugAltLink
        /// Type units of DWARF 4; those of version 5 are in `.debug_info`.
        case types

        /// ELF's name.
        package var elfName: String {
            switch self {
            case .info: ".debug_info"
            case .abbrev: ".debug_abbrev"
            case .line: ".debug_line"
            case .str: ".debug_str"
            case .lineStr: ".debug_line_str"
            case .strOffsets: ".debug_str_offsets"
            case .addr: ".debug_addr"
            case .ranges: ".debug_ranges"
            case .rnglists: ".debug_rnglists"
            case .aranges: ".debug_aranges"
            case .cuIndex: ".debug_cu_index"
            case .sup: ".debug_sup"
            case .gnuDebugAltLink: ".gnu_debugaltlink"
            case .types: ".debug_types"
            }
        }

        /// The name in a file of split units (DWARF 5, section 7.3.2.2).
        var splitName: String { self == .cuIndex ? elfName : elfName + ".dwo" }
    }

    /// The file that the sections lie in.
    let file: MappedFile
    /// The object file that inflates them; `nil` for sections without a container, which are never compressed.
    let object: ObjectFile?
    let limits: Limits
    package let byteOrder: ByteOrder
    let splitLocations: SplitLocations
    /// No code of the image is linked at address zero, so that code there is code that the linker
    /// removed.
    let zeroIsRemovedCode: Bool
    /// The functions of an image with code at address zero, read when an entry begins there.
    private let codeAtZero = Mutex<CodeAtZero?>(nil)
    /// By `Name.rawValue`: the section as the container lists it; in a relocatable file, all of one
    /// name, which its linker would join.
    private let sections: [[Section]]
    /// By `Name.rawValue`: the bytes of sections that are stored as they are. Names and ranges need
    /// them thousands of times.
    private let stored: [SectionContents?]
    /// By `Name.rawValue`: the sections that were inflated so far; each waits for none but itself.
    private let inflated: [Inflated]
    /// `.debug_info`, inflated as a whole after all.
    private let wholeInfo = Inflated()
    /// A large `.debug_str`, inflated as far as its texts are needed; `nil` inside: it is not.
    private let spooled = Mutex<SpooledSection??>(.none)
    private let spoolsTexts: Bool
    /// Bytes, inflated, from which on the sections that hold the units are streamed. libjvm's have
    /// 258 MB and 30 MB.
    private let streamsFrom: Int
    /// Whether sections that are read here and there are inflated into files.
    private let keepsOnDisk: Bool

    /// The supplementary file's sections, opened when they are first needed.
    private let supplement = Mutex<DWARFSections??>(.none)

    /// - Parameters:
    ///   - isSplit: the object is a `.dwo` file or a package of them.
    ///   - needsInformation: without `.debug_info` there is nothing to look up.
    ///   - keepsOnDisk: for who reads all units, on several threads: large sections but for
    ///     `.debug_info` are inflated into files.
    ///   - isSupplementary: other files refer to it; of small programs dwz shares nothing but
    ///     strings.
    /// - Returns: `nil` if the object has no `.debug_info`, or, of a supplementary file, no
    ///   `.debug_str` either.
    package init?(
        object: ObjectFile, isSplit: Bool = false, isSupplementary: Bool = false, streamsFrom: Int = 8 << 20,
        splitLocations: SplitLocations = SplitLocations(), needsInformation: Bool = true, keepsOnDisk: Bool = false
    ) {
        self.splitLocations = splitLocations
        self.object = object
        limits = object.limits
        self.streamsFrom = streamsFrom
        self.keepsOnDisk = keepsOnDisk
        inflated = Name.allCases.map { _ in Inflated() }
        file = object.file
        byteOrder = object.description.byteOrder
        zeroIsRemovedCode = object.description.kind != .relocatable && object.section(containing: LinkAddress(0))?.isExecutable != true
        sections = Name.allCases.map { name in
            let names = object.description.names(ofDebugSection: isSplit ? name.splitName : name.elfName)
            let found = object.description.sections.filter { names.contains($0.name) && !$0.fileRange.isEmpty }
            // Units name nothing of other sections of their kind by its position, so that linked files may have several, too.
            return object.description.sectionsArePlaced || name == .info || name == .types ? found : Array(found.prefix(1))
        }
        let texts = sections[Name.str.rawValue]
        spoolsTexts = !keepsOnDisk && texts.count == 1 && texts[0].compression != nil && texts[0].size >= UInt64(streamsFrom)
        stored = sections.map { sections in
            guard let section = sections.first, sections.count == 1, object.isStoredAsIs(section) else { return nil }
            return try? object.contents(of: section)
        }
        guard !needsInformation || !sections[Name.info.rawValue].isEmpty || (isSupplementary && !sections[Name.str.rawValue].isEmpty) else {
            return nil
        }
    }

    /// Sections that lie in a file without a container: what tests put together.
    /// - Parameters:
    ///   - ranges: where each section is, in bytes from the file's first.
    ///   - zeroIsRemovedCode: no code is linked at address zero.
    package init(
        _ file: MappedFile, _ ranges: [Name: Range<Int>], _ byteOrder: ByteOrder, zeroIsRemovedCode: Bool = true, limits: Limits = .standard
    ) {
        object = nil
        self.limits = limits
        splitLocations = SplitLocations()
        streamsFrom = .max
        keepsOnDisk = false
        spoolsTexts = false
        inflated = Name.allCases.map { _ in Inflated() }
        self.file = file
        self.byteOrder = byteOrder
        self.zeroIsRemovedCode = zeroIsRemovedCode
        sections = Name.allCases.map { _ in [] }
        stored = Name.allCases.map { name in ranges[name].map { .stored(file, $0.clamped(to: 0..<file.size)) } }
    }

    /// Whether address zero may be both code of the image and the mark of removed code.
    var removedCodeMayBeAtZero: Bool { !zeroIsRemovedCode && object.map { $0.description.kind != .relocatable } ?? false }

    /// Whether the file has the section.
    func has(_ name: Name) -> Bool { stored[name.rawValue] != nil || !sections[name.rawValue].isEmpty }

    /// Whether code from address zero up to another was removed although the image has code at zero.
    func isRemovedCode(upTo end: UInt64) -> Bool {
        guard removedCodeMayBeAtZero, let object else { return false }
        if let known = codeAtZero.withLock({ $0 }) { return known.isRemoved(upTo: end) }
        let made = CodeAtZero(object)
        codeAtZero.withLock { $0 = made }
        return made.isRemoved(upTo: end)
    }

    /// The section's bytes, inflated; `nil` if the object has no such section.
    /// - Throws: `DWARFError` if the section cannot be inflated.
    func contents(_ name: Name) throws(DWARFError) -> SectionContents? {
        if let contents = stored[name.rawValue] { return contents }
        let sections = sections[name.rawValue]
        guard !sections.isEmpty, let object else { return nil }
        return try inflated[name.rawValue].get { () throws(ObjectFileError) in
            // Units are requested in their order, and their line programs and abbreviations are in
            // the same order; names and ranges are not.
            let least = name == .abbrev ? streamsFrom / 4 : streamsFrom
            // Several sections of some megabytes were half of the memory for an index.
            if Self.onDisk.contains(name), keepsOnDisk, let only = sections.first, sections.count == 1,
                only.size >= UInt64(streamsFrom / 8)
            {
                return try object.contentsOnDisk(of: only)
            }
            if name == .info || name == .line, isOfEverydaySize, let only = sections.first, sections.count == 1,
                (Self.worthGrowing..<Self.everydaySize).contains(only.size)
            {
                return try object.growingContents(of: only)
            }
            if [.info, .line, .abbrev].contains(name), let only = sections.first, sections.count == 1, only.size >= UInt64(least) {
                return try object.streamedContents(of: only)
            }
            if name == .str, let texts = spooledTexts { return try texts.contents() }
            return try object.contents(joining: sections)
        } failure: {
            DWARFError(name, at: 0, $0)
        }
    }

    /// Size below which `.debug_info` stays in memory, for lookups.
    private static let everydaySize: UInt64 = 16 << 20
    /// Size from which on a section is inflated as far as it is read, and a thread is worth being started: a millisecond's work.
    private static let worthGrowing: UInt64 = 1 << 20
    /// Maximum number of addresses for which the last units are likely not needed.
    private static let fewAddresses = 3

    /// Whether `.debug_info` is one compressed section of everyday size, such as libc's and Python's of Debian's debug packages.
    private var isOfEverydaySize: Bool {
        guard !keepsOnDisk, let only = sections[Name.info.rawValue].first, sections[Name.info.rawValue].count == 1 else { return false }
        return only.compression != nil && only.size < Self.everydaySize && streamsFrom > 0
    }

    /// Runs a lookup. Of a file of everyday size another thread inflates the other sections meanwhile. For many addresses all of
    /// `.debug_info` is inflated first: threads that each wait for their units take more time together.
    func lookUpWhileInflating<Result: Sendable>(forAddresses count: Int, _ lookUp: @Sendable () -> Result) -> Result {
        guard case .growing(let information)? = try? contents(.info), !information.isWhole else { return lookUp() }
        guard count <= Self.fewAddresses else {
            _ = Parallel.both(worthwhile: true) {
                while information.advance() {}
            } _: {
                self.prepareSections()
            }
            return lookUp()
        }
        let isDone = Atomic(false)
        return Parallel.both(worthwhile: true) {
            defer { isDone.store(true, ordering: .relaxed) }
            return lookUp()
        } _: {
            for name in [Name.abbrev, .line] + small where !isDone.load(ordering: .relaxed) { self.prepare(name, unless: isDone) }
        }.0
    }

    /// Inflates sections that nearly every lookup needs.
    func prepareSections() {
        let isDone = Atomic(false)
        for name in [Name.abbrev, .line, .aranges] { prepare(name, unless: isDone) }
        prepareSmallSections()
    }

    /// Inflates a section; one that grows, until `isDone`.
    private func prepare(_ name: Name, unless isDone: borrowing Atomic<Bool>) {
        guard case .growing(let contents)? = try? contents(name) else { return }
        while !isDone.load(ordering: .relaxed), contents.advance() {}
    }

    /// The section's bytes where they need not be inflated first; `nil` if they are not at hand.
    func contentsAtHand(_ name: Name) -> SectionContents? { stored[name.rawValue] ?? inflated[name.rawValue].known }

    /// `.debug_str`, if it is so large that it is inflated only as far as its texts are needed.
    var spooledTexts: SpooledSection? {
        guard spoolsTexts, let object, let section = sections[Name.str.rawValue].first else { return nil }
        return spooled.withLock { known in
            if let known { return known }
            let texts = object.spooledContents(of: section)
            known = .some(texts)
            return texts
        }
    }

    /// Names and ranges are read in no order; line programs and abbreviations in the units' order,
    /// which several threads do not keep.
    private static let onDisk = [Name.str, .line, .abbrev, .ranges, .rnglists]

    /// Gives back the pages of the mappings that were read through: names, ranges and abbreviations
    /// are here and there.
    package func releasePages() {
        file.releasePages()
        guard keepsOnDisk else { return }
        for name in Self.onDisk {
            guard case .stored(let file, _)? = inflated[name.rawValue].known else { continue }
            file.releasePages()
        }
    }

    /// `.debug_info` for who follows references from one unit to another, which lead anywhere: not
    /// streamed.
    func wholeInformation() throws(DWARFError) -> SectionContents {
        let contents = try required(.info)
        guard contents.isStreamed, let object else { return contents }
        let sections = sections[Name.info.rawValue]
        return try wholeInfo.get { () throws(ObjectFileError) in
            try object.contents(joining: sections)
        } failure: {
            DWARFError(.info, at: 0, $0)
        }
    }

    /// A section that is inflated by the first thread that needs it; a failure is kept too.
    private final class Inflated: Sendable {
        // Not `Result`, nor anything else whose parameters must conform to something: the runtime
        // would look through all conformances of the program, once for each such type, before the
        // first address is resolved.
        private struct Outcome {
            var contents: SectionContents?
            var failure: DWARFError?
        }

        private let outcome = Mutex(Outcome())

        /// The contents, as far as they are inflated.
        var known: SectionContents? { outcome.withLock { $0.contents } }

        func get(
            _ inflate: () throws(ObjectFileError) -> SectionContents, failure: (String) -> DWARFError
        ) throws(DWARFError) -> SectionContents {
            try outcome.withLock { (known: inout Outcome) throws(DWARFError) -> SectionContents in
                if let contents = known.contents { return contents }
                if let failure = known.failure { throw failure }
                do throws(ObjectFileError) {
                    let contents = try inflate()
                    known.contents = contents
                    return contents
                } catch {
                    let failure = failure(error.problem)
                    known.failure = failure
                    throw failure
                }
            }
        }
    }

    /// Inflates what nearly every lookup needs: for a thread that has nothing else to do while
    /// `.debug_info` is inflated.
    func prepareSmallSections() {
        for name in small { _ = try? contents(name) }
    }

    private var small: [Name] { [.rnglists, .ranges, .lineStr, .strOffsets, .addr] + (spooledTexts == nil ? [.str] : []) }

    /// Inflates a piece of the texts.
    /// - Returns: whether there is more.
    func prepareTexts() -> Bool { spooledTexts?.advance() ?? false }

    /// The sections of the supplementary file that holds what several files have in common (dwz);
    /// `nil` if there is none or it is not found.
    var supplementary: DWARFSections? {
        supplement.withLock { known in
            if let known { return known }
            let sections = object.flatMap { SupplementaryFile.find(for: $0, self) }.flatMap {
                // Entries of other files refer to its units in no order.
                DWARFSections(object: $0, isSupplementary: true, streamsFrom: .max)
            }
            known = .some(sections)
            return sections
        }
    }

    /// The same, for a section without which the caller cannot go on.
    func required(_ name: Name) throws(DWARFError) -> SectionContents {
        guard let contents = try contents(name) else {
            throw DWARFError(name, at: 0, "the section is missing, and another one refers to it")
        }
        return contents
    }
}

/// Directories and files in which split units are looked for.
package struct SplitLocations: Sendable {
    /// The package (`.dwp`); `nil` for the one beside the linked file.
    package var package: String?
    /// Files of split units are looked for beside the linked file too, to which builds copy them,
    /// and not only where the compiler wrote them.
    package var besideProgram: Bool

    package init(package: String? = nil, besideProgram: Bool = true) {
        self.package = package
        self.besideProgram = besideProgram
    }
}
