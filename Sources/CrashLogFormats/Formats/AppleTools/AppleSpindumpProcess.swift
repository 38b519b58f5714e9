internal import BinaryPrimitives
internal import CrashLogModel

/// The part of a spindump that describes one process, while it is read.
struct AppleSpindumpProcess {
    /// A thread's tree, or the heaviest stack.
    struct Tree {
        var trace: ThreadTrace
        /// Which frames are the kernel's.
        var kernelRows: Set<Int> = []
        var rows = 0
        /// The rows have no heading.
        var isAlone = false
        /// Indentation of the root's count: 2 blanks, fewer or more in pasted text.
        var firstColumn = 2
        /// Every row calls the next, independent of their columns: `Heaviest stack`.
        var isList = false

        init(_ trace: ThreadTrace) {
            self.trace = trace
            self.trace.isCallTree = true
        }
    }

    var description = ProcessDescription()
    var architecture: Architecture?
    /// `Heaviest stack for the target process`, which is in the header.
    var heaviest: Tree?
    var trees: [Tree] = []
    private(set) var images: [BinaryImage] = []
    /// Lines of the list that could not be read.
    private var unread = 0
    /// The entries of `images` that are the kernel's: the kernel and its extensions.
    private var kernelImages: Set<Int> = []

    var hasFrames: Bool { !(heaviest?.trace.frames.isEmpty ?? true) || trees.contains { !$0.trace.frames.isEmpty } }

    /// Takes a `Key: value` line below `Process:`.
    /// - Returns: whether it was one.
    mutating func readKey(_ text: Span<UInt8>) -> Bool {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon <= 40 else { return false }
        let value = text.from(colon + 1).trimmed()
        switch text.upTo(colon).text {
        case "Process", "Powerstats for", "Command": readName(value)
        case "Path": description.path = value.text
        case "Identifier": description.identifier = value.text
        case "Version": description.version = value.equals("???") || value.equals("??? (???)") ? nil : value.text
        case "PID":
            description.pid = value.leadingDecimal.flatMap { Int(exactly: $0) }
        case "Architecture": architecture = value.count > 0 ? Architecture(value.text) : nil
        default: break
        }
        return true
    }

    /// `assistantd [517]`; of processes that are gone, the name alone.
    private mutating func readName(_ value: Span<UInt8>) {
        guard value.hasSuffix("]"), let open = value.lastIndex(of: UInt8(ascii: "[")) else {
            description.name = value.text
            return
        }
        description.pid = value.from(open + 1).leadingDecimal.flatMap { Int(exactly: $0) }
        description.name = value.upTo(open).trimmed().text
    }

    // MARK: Images

    /// Reads a line below `Binary Images:`; a star before the range marks the kernel's images.
    mutating func readImage(_ text: Span<UInt8>) -> Bool {
        var rest = text
        let isKernel = rest.consume("*")
        var list = AppleImageList()
        guard rest.hasPrefix("0x"), list.read(rest) else { return false }
        unread += list.unread
        guard images.count < Limits.standard.images, var image = list.table(architecture: nil).images.first else { return true }
        // Extensions in the kernel's collection have their identifier instead of a path.
        if image.path?.utf8.contains(UInt8(ascii: "/")) == false { image.path = nil }
        if isKernel { kernelImages.insert(images.count) }
        images.append(image)
        return true
    }

    // MARK: Frames

    /// Finishes the frames of `tree` with their kinds and images. A row gives the start of its
    /// image: the address minus the offset into it. A row of the kernel is not in any of the
    /// process's images, and the reverse.
    mutating func finish(_ tree: Tree, _ table: inout Table) -> ThreadTrace {
        var trace = tree.trace
        // One row below the other in one column, without a heading, are a list such as `Heaviest stack`.
        if tree.isAlone, trace.frames.allSatisfy({ $0.depth == 0 }) {
            var depth = 0
            for index in trace.frames.indices {
                trace.frames[index].depth = depth
                if !trace.frames[index].isInlined { depth += 1 }
            }
        }
        AppleCallTree.decideKinds(&trace.frames, kernelRows: tree.kernelRows)
        for index in trace.frames.indices {
            trace.frames[index].image = table.image(of: trace.frames[index], isKernel: tree.kernelRows.contains(index))
        }
        return trace
    }

    mutating func report(header: AppleCrashHeader, cause: CrashCause?) -> CrashReport {
        var report = CrashReport(format: AppleSpindump.name)
        header.apply(to: &report)
        report.process = description
        report.cause = cause
        // The header's architecture is the machine's.
        report.architecture = architecture
        var table = Table(images, kernelImages: kernelImages)
        if let heaviest { report.additionalBacktraces = [finish(heaviest, &table)] }
        for tree in trees where !tree.trace.frames.isEmpty { report.threads.append(finish(tree, &table)) }
        report.images = table.images
        report.noteUnreadImages(unread)
        if images.isEmpty, unread == 0 { report.notes.append("The report has no list of binary images.") }
        return report
    }

    /// Which image a row is in.
    struct Table {
        private(set) var images: [BinaryImage]
        private var kernel: [UInt64: Int] = [:]
        private var process: [UInt64: Int] = [:]
        private var byName: [String: Int] = [:]
        private var sortedKernel: SortedImages
        private var sortedProcess: SortedImages

        init(_ images: [BinaryImage], kernelImages: Set<Int>) {
            self.images = images
            var hidden = (kernel: images, process: images)
            for (index, image) in images.enumerated() {
                let isKernel = kernelImages.contains(index)
                if isKernel { hidden.process[index].base = nil } else { hidden.kernel[index].base = nil }
                guard let base = image.base?.value else { continue }
                if isKernel { kernel[base] = kernel[base] ?? index } else { process[base] = process[base] ?? index }
                // A name that two images share names none.
                if byName.updateValue(index, forKey: image.name) != nil { byName[image.name] = -1 }
            }
            sortedKernel = SortedImages(hidden.kernel)
            sortedProcess = SortedImages(hidden.process)
        }

        mutating func image(of frame: Frame, isKernel: Bool) -> Int? {
            guard let address = frame.address else {
                // Reports of watchdogs may print the image and the offset into it alone.
                guard let name = frame.imageName, let index = byName[name], index >= 0 else { return nil }
                return index
            }
            if let offset = frame.imageOffset?.value, offset <= address.value {
                if let index = isKernel ? kernel[address.value - offset] : process[address.value - offset] { return index }
            }
            if let index = (isKernel ? sortedKernel : sortedProcess).index(containing: address) { return index }
            return addDerivedImage(frame, address.value, isKernel: isKernel)
        }

        /// An image that the list lacks, derived from the row: `(Foo + 20) [0x1014]` is Foo at
        /// 0x1000.
        private mutating func addDerivedImage(_ frame: Frame, _ address: UInt64, isKernel: Bool) -> Int? {
            guard let offset = frame.imageOffset?.value, offset <= address, let name = frame.imageName,
                images.count < Limits.standard.images
            else { return nil }
            var image = BinaryImage(name: name)
            // A system that does not have an image's name prints its UUID instead:
            // `(<1694C943-1413-3040-AE12-619DE2F5C639> + 430536)`.
            if name.hasPrefix("<"), name.hasSuffix(">") { image.id = ImageID(text: name) }
            image.base = RuntimeAddress(address - offset)
            if isKernel { kernel[address - offset] = images.count } else { process[address - offset] = images.count }
            images.append(image)
            return images.count - 1
        }
    }
}

/// One row of spindump's trees, and of its lists `Heaviest stack for the target process:`
///
///     101  start + 2432 (dyld + 25360) [0x7ff806675310]
///       49  static App.$main() + 35 (App.swift:31,1 in App + 17460019) [0x10772db33] 1-49
///      *101  ??? (kernel + 1376720) [0xffffff800042c1d0] (runnable)        the kernel's
///     11  ??? (dyld + 82408)                                               without addresses
///     12 start + 53 (QQ) [0x14e55]                                         OS X 10.9
///      *101  ??? [0]                                                       nothing is known
///     13  <truncated backtrace>                                            could not be read further down
///
/// The address may be followed by the samples in which the row occurred (`1-49`) and the thread's
/// state (`(running)`).
struct AppleSpindumpRow {
    /// Column in which the count begins. A star before it replaces a blank.
    var column: Int
    var samples: Int
    /// The kernel's own.
    var isKernel: Bool
    /// Offset of the text after the count.
    var nameStart: Int
    var name: String?
    var offset: UInt64?
    var isInlined = false
    var location: SourceLocation?
    var imageName: String?
    var imageOffset: UInt64?
    var address: UInt64?
    /// `<truncated backtrace>`: spindump could not read the stack further down.
    var isTruncated = false
    /// Offset of the end of the image's parentheses; without them, of the end of the name and its
    /// offset.
    var resultEnd: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        isKernel = rest.consume("*")
        column = row.count - rest.count
        guard let value = rest.readDecimal(), let samples = Int(exactly: value), rest.at(0) == UInt8(ascii: " ") else { return nil }
        self.samples = samples
        rest.skipBlanks()
        nameStart = row.count - rest.count
        if rest.trimmed().equals("<truncated backtrace>") {
            isTruncated = true
            resultEnd = row.count
            return
        }
        var text = rest
        if let found = AppleSpindumpRow.address(in: rest) {
            address = found.value
            text = rest.upTo(found.start)
        } else if !rest.hasSuffix(")") {
            return nil
        }
        text = text.trimmed()
        resultEnd = nameStart + text.count
        if let group = AppleSpindumpRow.group(text) {
            readImage(text.clamped(to: group))
            text = text.upTo(group.lowerBound - 1).trimmed()
        }
        guard address != nil || imageOffset != nil else { return nil }
        isInlined = text.consumeSuffix(" [inlined]")
        text = text.trimmed()
        offset = text.readDecimal(atEndBehind: " + ")
        text = text.trimmed()
        if text.count > 0, !text.equals("???") { name = text.text }
    }

    /// ` [0x7ff806675310]`, or ` [0]`, and where it begins.
    private static func address(in text: Span<UInt8>) -> (start: Int, value: UInt64)? {
        var from = 0
        while let found = text.firstRange(of: " [0", from: from) {
            var rest = text.from(found.lowerBound + 2)
            if let value = rest.readAddress() ?? (rest.consume("0") ? 0 : nil), rest.hasPrefix("]") { return (found.lowerBound, value) }
            from = found.upperBound
        }
        return nil
    }

    /// Range of the text inside the parentheses that end `text`. Names of images and functions
    /// contain pairs of their own.
    private static func group(_ text: Span<UInt8>) -> Range<Int>? {
        guard let open = text.openingParenthesis, text.at(open - 1) == UInt8(ascii: " ") else { return nil }
        return open + 1..<text.count - 1
    }

    /// `dyld + 25360`, `App.swift:31,1 in App + 17460019`, `App.swift in App + 17460153`, `QQ`
    private mutating func readImage(_ text: Span<UInt8>) {
        var rest = text
        imageOffset = rest.readDecimal(atEndBehind: " + ")
        if let within = rest.lastRange(of: " in ") {
            location = AppleSpindumpRow.location(rest.upTo(within.lowerBound))
            rest = rest.from(within.upperBound)
        }
        if rest.count > 0, !rest.equals("???") { imageName = rest.text }
    }

    /// `App.swift:31,1`; without a line where the compiler made the code.
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard text.count > 0 else { return nil }
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { return SourceLocation(file: text.text, line: 0) }
        var rest = text.from(colon + 1)
        guard let line = rest.readDecimal().flatMap({ Int(exactly: $0) }) else { return SourceLocation(file: text.text, line: 0) }
        let column = rest.consume(",") ? rest.readDecimal().flatMap { Int(exactly: $0) } : nil
        return SourceLocation(file: text.upTo(colon).text, line: line, column: column ?? 0)
    }

    var printed: PrintedSymbol? {
        guard name != nil || location != nil else { return nil }
        return PrintedSymbol(name: name, offset: name == nil ? nil : offset, location: location)
    }
}
