internal import BinaryPrimitives
internal import CrashLogModel

/// The lines below `Binary Images:`, in all dialects:
///
///        0x10e30e000 -        0x10e311fff CrashingTest (*) <01d2a9d5-1f8a-35c8-9228-7c7cca13c5fc> /Users/USER/CrashingTest
///         0x1000 -   0x110fef +git-merge ??? (???) <e000e885c1cd2341cf81fe9283f5178a> /opt/local/libexec/git-core/git-merge
///     0x900b4000 - 0x9021bff3  libSystem.B.dylib ??? (???) /usr/lib/libSystem.B.dylib              (no UUID)
///        0x88000 -    0xb0fff +CrashTester armv7  <3abd09c1f82e315fb44b74dba8a3cb7e> /var/mobile/…  (iOS)
///         0x1000 -    0x14fff com.apple.Xcode 1.1 (300)\t/Developer/Applications/Xcode.app/…             (10.3: a tab)
///     0x100000000 -                ??? com.example.app (1.0) <01d2a9d5-…> /Applications/…              (no end)
///        0x1017ff000 -  0x101885fff +com.AlphaSoft.iTubeDownloader (x86_64)  <7B63…> /Users/…         (PLCrashReporter)
///
/// The name may be a bundle identifier and may hold spaces. Mailers break such a line anywhere at a
/// blank.
struct AppleImageList {
    private var images: [BinaryImage] = []
    /// The images without an end, with the names that rows call them by.
    private var openEnded: [(name: String, index: Int)] = []
    /// The latest line, and how many more were joined to it.
    private var line: [UInt8] = []
    private var joined = 0

    var isEmpty: Bool { images.isEmpty }
    /// Number of lines that begin with an address, as the list's do, and could not be read: the
    /// identifiers of their images are unknown.
    private(set) var unread = 0

    /// Reads a line of the list, or the broken-off rest of one.
    /// - Returns: whether it was one.
    mutating func read(_ text: Span<UInt8>) -> Bool {
        guard let image = AppleImageList.image(of: text) else {
            guard text.hasPrefix("0x") else { return readContinuation(text) }
            unread += 1
            return true
        }
        line = text.copied()
        joined = 0
        guard images.count < Limits.standard.images else { return true }
        add(image)
        return true
    }

    private mutating func add(_ image: BinaryImage) {
        if image.size == nil { openEnded.append((image.name, images.count)) }
        images.append(image)
    }

    private static func image(of text: Span<UInt8>) -> BinaryImage? {
        var rest = text
        guard let base = rest.readAddress() else { return nil }
        rest.skipBlanks()
        guard rest.consume("-") else { return nil }
        rest.skipBlanks()
        var end: UInt64?
        if !rest.consume("???") {
            guard let address = rest.readAddress(), address >= base else { return nil }
            end = address
        }
        rest.skipBlanks()
        _ = rest.consume("+")
        return image(rest, base: base, end: end)
    }

    private static func image(_ text: Span<UInt8>, base: UInt64, end: UInt64?) -> BinaryImage {
        // Read from the end. The path begins at the first `/` that follows a blank after the UUID,
        // or after the version if there is no UUID.
        var description = text
        var path: Span<UInt8>?
        var id: ImageID?
        if let open = text.firstIndex(of: UInt8(ascii: "<")), let close = text.firstIndex(of: UInt8(ascii: ">"), from: open) {
            id = ImageID(text: text.clamped(to: open..<close + 1))
            path = text.from(close + 1).trimmed()
            description = text.upTo(open)
        } else if let slash = pathStart(text) {
            path = text.from(slash).trimmed()
            description = text.upTo(slash)
        }
        let (name, architecture) = nameAndArchitecture(description.trimmed())
        var image = BinaryImage(name: name)
        if let path, path.count > 0, !path.equals("???") { image.path = path.text }
        image.id = id
        image.architecture = architecture
        image.base = RuntimeAddress(base)
        image.size = end.map { size(from: base, to: $0) }
        // `0x0 - 0xffffffffffffffff ???`: what is in no image.
        image.isPlaceholder = name == "???"
        return image
    }

    private static func pathStart(_ text: Span<UInt8>) -> Int? {
        var slash = text.firstIndex(of: UInt8(ascii: "/"))
        while let index = slash {
            if index == 0 || text.at(index - 1).map(isBlank) == true { return index }
            slash = text.firstIndex(of: UInt8(ascii: "/"), from: index + 1)
        }
        return nil
    }

    /// The end is the image's last byte. Some writers print where the next page begins instead,
    /// which is then not counted.
    private static func size(from base: UInt64, to end: UInt64) -> UInt64 {
        let distance = end - base
        return end & 0xFFF == 0 || distance == .max ? distance : distance + 1
    }

    /// `CrashingTest (*)`, `com.apple.CoreFoundation (6.9 - 1858.112)`, `libz.1.dylib ??? (???)`,
    /// `dyld 97.1 (???)`, `CrashTester armv7`, `libPhysX3PROFILE.dylib x86_64 (0.0.0 - 0.0.0)`,
    /// `com.macromedia.Flash Player.plugin 10.0.12.36 (1.0.4f362)`
    private static func nameAndArchitecture(_ text: Span<UInt8>) -> (String, Architecture?) {
        var rest = text
        var architecture: Architecture?
        if rest.hasSuffix(")"), let open = rest.lastIndex(of: UInt8(ascii: "(")), open > 0 {
            let inside = rest.clamped(to: open + 1..<rest.count - 1)
            if isArchitecture(inside) { architecture = Architecture(inside.text) }
            rest = rest.upTo(open).trimmed()
        }
        while let blank = rest.lastIndex(of: UInt8(ascii: " ")), blank > 0 {
            let last = rest.from(blank + 1)
            if isArchitecture(last) {
                architecture = Architecture(last.text)
            } else if !last.equals("???"), !isVersion(last) {
                break
            }
            rest = rest.upTo(blank).trimmed()
        }
        return (rest.text, architecture)
    }

    /// Digits and dots, as in `10.0.12.36`.
    private static func isVersion(_ text: Span<UInt8>) -> Bool {
        for index in 0..<text.count {
            guard isDigit(text[index]) || (index > 0 && text[index] == UInt8(ascii: ".")) else { return false }
        }
        return text.count > 0
    }

    private static let architectures: Set<Architecture> = [
        .i386, .x86_64, .x86_64h, .armv6, .armv7, .armv7s, .armv7k, .arm64, .arm64e, .arm64_32, .ppc, .ppc64,
    ]

    private static func isArchitecture(_ text: Span<UInt8>) -> Bool {
        // The longest is `arm64_32`, and each begins with one of these letters.
        guard text.count <= 8, let first = text.at(0), isOne(first, of: "xaip") else { return false }
        return architectures.contains(Architecture(text.text))
    }

    /// A line that a mailer broke off: the UUID, the path, a part of the path, or more. With the
    /// line before it, it is one line of the list.
    private mutating func readContinuation(_ text: Span<UInt8>) -> Bool {
        guard let last = images.indices.last, joined < 4, !line.isEmpty else { return false }
        let isWhole = images[last].path != nil || images[last].isPlaceholder
        if isWhole {
            guard line.count >= AppleCrashHeader.shortestBroken, text.firstIndex(of: UInt8(ascii: "/")) != nil,
                text.firstIndex(of: UInt8(ascii: ":")) == nil
            else { return false }
        } else {
            guard AppleImageList.continues(text) else { return false }
        }
        let whole = line + [UInt8(ascii: " ")] + text.copied()
        guard let image = AppleImageList.image(of: whole.span), image.base == images[last].base else { return false }
        // A line below one that has a path continues the path only if the path then ends with the
        // image's name.
        if isWhole, !AppleImageList.isNamed(image.path, images[last].name) || AppleImageList.isNamed(images[last].path, images[last].name) {
            joined = 4
            return true
        }
        line = whole
        joined += 1
        if openEnded.last?.index == last { openEnded.removeLast() }
        images.removeLast()
        add(image)
        return true
    }

    /// Whether what a line without a path breaks off before looks like its rest: a version, a UUID,
    /// a path.
    private static func continues(_ text: Span<UInt8>) -> Bool {
        text.hasPrefix("<") || text.hasPrefix("/") || text.hasPrefix("(") || text.hasPrefix("???") || text.contains(" /")
    }

    /// Whether the path is that of a file with the list's name, which may be a bundle identifier:
    /// `com.example.App`, `/Applications/A b/App`.
    private static func isNamed(_ path: String?, _ name: String) -> Bool {
        guard let path else { return false }
        let file = Path.foreignName(of: path)
        return file == name || file.utf8.elementsEqual(name.utf8.split(separator: UInt8(ascii: ".")).last ?? name.utf8[...])
    }

    /// Reads a line of a list that a report of Apple's tools ends with. What a mailer broke off is
    /// a UUID or a path.
    mutating func readLastSection(_ text: Span<UInt8>) -> LineVerdict {
        if text.hasPrefix("0x") || text.hasPrefix("<") || text.hasPrefix("/"), read(text) { return .more }
        return text.count == 0 && isEmpty ? .more : .rejected
    }

    /// Gives a report the images, and each frame its own.
    /// - Parameters:
    ///   - isExpected: a report without a list lacks it.
    ///   - others: further lines that could not be read.
    func assign(to report: inout CrashReport, isExpected: Bool = true, unread others: Int = 0) {
        report.noteUnreadImages(unread + others)
        if isEmpty, isExpected, unread + others == 0 { report.notes.append("The report has no list of binary images.") }
        var table = table(architecture: report.architecture)
        table.assign(to: &report)
    }

    /// Gives frames that lie in no image the one without an end that their row names.
    func assignOpenEnded(to report: inout CrashReport) {
        guard !openEnded.isEmpty else { return }
        let images = report.images
        report.changeStacks { stack in
            for index in stack.frames.indices where stack.frames[index].image == nil {
                guard let name = stack.frames[index].imageName, let address = stack.frames[index].address else { continue }
                let found = openEnded.last { open in
                    guard images.indices.contains(open.index), let base = images[open.index].base, base <= address else { return false }
                    return open.name == name || images[open.index].name == name
                }
                stack.frames[index].image = found?.index
            }
        }
    }

    /// The images for the report; those whose line names no architecture have the process's.
    func table(architecture: Architecture?) -> ImageTable {
        var table = ImageTable()
        for var image in images {
            image.architecture = image.architecture ?? architecture
            // The name of an image is that of its file, where the path has it; the list's own may
            // be a bundle identifier.
            if let path = image.path { image.name = Path.foreignName(of: path) }
            table.add(image)
        }
        return table
    }
}
