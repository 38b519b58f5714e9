internal import BinaryPrimitives
internal import Demangling
internal import SymbolSources

/// The texts of frames as they are printed, one after the other. An index's texts are cached under its
/// numbers: the same few functions are inlined everywhere, and a cached text costs neither demangling nor
/// memory. It cannot be copied: a copy for each result would count the references of all its tables.
struct PrintedNames: ~Copyable {
    private let demangler: Demangler
    /// Kind of names that are printed.
    enum Kind {
        case linkage
        /// `DW_AT_name`: without linkage names.
        case short
        case none
    }

    private let kind: Kind
    /// Paths are without the compilation directory.
    private let usesRecordedPaths: Bool
    /// Code without a line gets the line before it.
    private let skipsLineZero: Bool
    private var areHidden: Bool { kind == .none }
    private(set) var bytes: [UInt8] = []
    /// Ranges of the index's texts, by its numbers.
    private var names = TextRanges()
    private var paths = TextRanges()
    /// Ranges of names that are not from an index.
    private var known: [String: Range<Int>] = [:]
    /// Number of the index whose texts are cached.
    private var index: Int?

    /// Maximum number of bytes of cached texts.
    private static let maxBytes = 32 << 20

    init(_ demangler: Demangler, _ kind: Kind, usesRecordedPaths: Bool = false, skipsLineZero: Bool = false) {
        self.skipsLineZero = skipsLineZero
        self.demangler = demangler
        self.kind = kind
        self.usesRecordedPaths = usesRecordedPaths
    }

    mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

    /// Returns a cached text.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns a name as it is printed.
    func text(_ name: String) -> String { shown(name) }

    private func shown(_ name: String) -> String { demangler.demangle(name.withoutSymbolVersion) }

    /// Empties the cache if it is too large. Call it between two results: the frames of one result must stay
    /// together.
    mutating func forgetIfLarge() {
        guard bytes.count > Self.maxBytes else { return }
        forget()
    }

    mutating func frame(_ frame: SourceFrame, isOneOfMany: Bool) -> PrintedFrame {
        let name = areHidden || frame.name.isEmpty ? 0..<0 : isOneOfMany ? range(ofName: frame.name) : add(shown(frame.name))
        guard let location = frame.location else { return PrintedFrame(name: name, file: nil, line: 0, column: 0) }
        return PrintedFrame(name: name, file: add(location.file), line: location.line, column: location.column)
    }

    /// - Parameters:
    ///   - number: identifies the index; all frames of one result have the same index.
    ///   - count: number of addresses that are looked up together.
    mutating func frame(_ frame: IndexFrame, of index: SymbolIndex, number: Int, among count: Int) -> PrintedFrame {
        if self.index != number {
            forget()
            self.index = number
        }
        var name = 0..<0
        if frame.name != 0, !areHidden {
            if let known = names[frame.name] {
                name = known
            } else {
                name = add(shown(index.name(frame.name, amongNames: count)))
                names.keep(name, of: frame.name)
            }
        }
        guard frame.file != 0 else { return PrintedFrame(name: name, file: nil, line: 0, column: 0) }
        let file: Range<Int>
        if let known = paths[frame.file] {
            file = known
        } else {
            file = add(index.path(frame.file) ?? "")
            paths.keep(file, of: frame.file)
        }
        return PrintedFrame(name: name, file: file, line: Int(frame.line), column: Int(frame.column))
    }

    /// Appends a result's frames, innermost first, with their details.
    mutating func append(_ result: DetailedResult, to frames: inout [PrintedFrame]) {
        guard case .found(let found) = result.result else { return }
        for (index, var frame) in found.enumerated() {
            let details = index < result.details.count ? result.details[index] : nil
            if kind == .short { frame.name = details?.plainName ?? "" }
            let before = skipsLineZero ? details?.lineBefore : nil
            if let before { frame.location = before.location }
            if usesRecordedPaths, let recorded = before == nil ? details?.recordedFile : before?.recordedFile {
                frame.location?.file = recorded
            }
            var printed = self.frame(frame, isOneOfMany: false)
            printed.details = details
            printed.isApproximate = before != nil
            printed.discriminator = before?.discriminator ?? details?.discriminator ?? 0
            printed.symbolStart = details?.symbolStart
            frames.append(printed)
        }
    }

    private mutating func range(ofName name: String) -> Range<Int> {
        if let range = known[name] { return range }
        let range = add(shown(name))
        known[name] = range
        return range
    }

    /// Caches a text, and returns its range.
    mutating func add(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes += text.utf8
        return start..<bytes.count
    }

    private mutating func forget() {
        bytes.removeAll(keepingCapacity: true)
        known.removeAll()
        names = TextRanges()
        paths = TextRanges()
    }
}

/// A function at an address, as it is printed: ranges of texts in `PrintedNames.bytes`.
struct PrintedFrame {
    /// Empty if the name is not known.
    var name: Range<Int>
    var file: Range<Int>?
    /// Zero if not known, like the column.
    var line: Int
    var column: Int
    /// Discriminator of the line's block; zero if there is none, or it was not requested.
    var discriminator: UInt64 = 0
    /// The debug information calls the function by the same name as its symbol.
    var isNamedByDebugInformation = false
    /// The code has no line: this is the line before it.
    var isApproximate = false
    /// First address of the symbol that gives the name; `nil` if none does, or it was not requested.
    var symbolStart: LinkAddress?
    /// Details that only some tools print.
    var details: FrameDetails?

    /// Frame for an unknown address.
    static let unknown = PrintedFrame(name: 0..<0, file: nil, line: 0, column: 0)
}

/// Ranges of texts by numbers other than zero: a hash table with open addressing, at most half full.
private struct TextRanges {
    /// Key and range side by side, so that a lookup does not read two arrays.
    private struct Slot {
        /// Zero: the slot is empty.
        var key: UInt32 = 0
        var start: UInt32 = 0
        var end: UInt32 = 0
    }

    private var slots: [Slot] = []
    private var count = 0

    subscript(key: UInt32) -> Range<Int>? {
        guard !slots.isEmpty else { return nil }
        let slot = slots[slot(of: key)]
        return slot.key == key ? Int(slot.start)..<Int(slot.end) : nil
    }

    /// - Parameter range: below 4 GB, as all cached texts are (`PrintedNames.maxBytes`, and the texts of one
    ///   result).
    mutating func keep(_ range: Range<Int>, of key: UInt32) {
        guard let start = UInt32(exactly: range.lowerBound), let end = UInt32(exactly: range.upperBound) else { return }
        if count * 2 >= slots.count { grow() }
        let slot = slot(of: key)
        if slots[slot].key == 0 { count += 1 }
        slots[slot] = Slot(key: key, start: start, end: end)
    }

    /// Returns the index of the key's slot, or of the empty slot for it.
    private func slot(of key: UInt32) -> Int {
        let mask = slots.count - 1
        // Fibonacci hashing: neighbouring numbers, which are usual in an index, spread over the table.
        var slot = Int(truncatingIfNeeded: UInt64(key) &* 0x9e37_79b9_7f4a_7c15 &>> 32) & mask
        while slots[slot].key != 0, slots[slot].key != key { slot = (slot &+ 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: max(1024, old.count * 2))
        for kept in old where kept.key != 0 { slots[slot(of: kept.key)] = kept }
    }
}
