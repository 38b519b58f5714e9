internal import BinaryPrimitives
internal import CrashLogModel

/// Turns the rows of a trace into frames and images.
struct RowFrames {
    private let card: StackCard?
    private(set) var images: [BinaryImage]
    private var imageIndices: [String: Int] = [:]
    /// Address minus offset of each module's rows: the load bias.
    private var biases: [String: Set<UInt64>] = [:]
    /// Modules whose offsets count from the first byte.
    private var fromStart: Set<String> = []
    /// A module's path is one of Darwin. All offsets then count from the image's first byte (`dladdr`'s `dli_fbase`).
    private var isDarwin = false
    /// Index of the program's image, if the heading names it.
    private let program: Int?
    /// Number of images that the heading names.
    private let listedCount: Int

    init(_ card: StackCard?, images: [BinaryImage]) {
        self.card = card
        self.images = images
        program = images.isEmpty ? nil : 0
        listedCount = images.count
        for (index, image) in images.enumerated() {
            // Rows may have the short names of modules that the list names in full.
            for name in [image.path ?? image.name, image.name] where imageIndices[name] == nil { imageIndices[name] = index }
        }
    }

    /// Clears the images of a stack's frames, so that `ImageTable` finds them by the memory map.
    static func clearImagesForMap(_ frames: inout [Frame], _ stack: RowStack) {
        for (index, entry) in stack.entries.enumerated() where frames.indices.contains(index) {
            frames[index].image = nil
            frames[index].imageLocation = entry.symbol == nil ? entry.row.moduleOffset.map { .linkAddress(LinkAddress($0)) } : nil
        }
    }

    /// The frames of a stack, innermost first.
    mutating func frames(of stack: RowStack) -> [Frame] {
        var entries = RowStack.withoutPrefixes(stack.entries)
        if stack.isOutermostFirst || stack.isReversed { entries.reverse() }
        if card == nil { RowFrames.findModules(&entries) }
        let counter = entries.first { $0.row.isProgramCounter }?.row.address
        // The stack also has the program counter, below the signal handler.
        if entries.contains(where: { !$0.row.isProgramCounter && $0.row.address == counter }) {
            entries.removeAll { $0.row.isProgramCounter }
        }
        noteModules(of: entries)
        var frames: [Frame] = []
        for entry in entries where frames.count < Limits.standard.framesPerThread {
            frames.append(frame(entry, before: frames.last, hasNumbers: !stack.hasOneNumber))
        }
        joinInlined(&frames)
        decideKinds(&frames, stack.rule ?? card?.rule ?? .returnAddresses, own: entries)
        if let counter, var index = frames.firstIndex(where: { $0.address?.value == counter }) {
            while index < frames.count, frames[index].address?.value == counter {
                frames[index].kind = .programCounter
                index += 1
            }
        }
        return frames
    }

    /// Notes what the rows say about their modules: load biases, and where offsets count from.
    private mutating func noteModules(of entries: [RowStack.Entry]) {
        for entry in entries {
            guard let module = entry.module else { continue }
            // Windows' offsets are relative virtual addresses.
            if entry.row.isFromModuleStart || RowFrames.isOfWindows(module) { fromStart.insert(module) }
            isDarwin = isDarwin || RowFrames.isOfDarwin(module)
            guard let address = entry.row.address, let offset = entry.row.moduleOffset, offset <= address, !isLinked else { continue }
            // Images are loaded at pages; some writers move one of the two back by a byte.
            guard [0, 1, 0xFFF].contains((address - offset) & 0xFFF) else { continue }
            biases[module, default: []].insert(address - offset)
        }
    }

    /// Finds the rows whose name in parentheses is a module: `000000003f2485b8 (ferrySdk + 0xc05b8)`. The address minus
    /// the offset is then the load address of the module: a page boundary, and equal in several rows. A function begins
    /// at such an address by chance in one of hundreds of cases, and is not as long.
    private static func findModules(_ entries: inout [RowStack.Entry]) {
        var bases: [String: Set<UInt64>] = [:]
        var isLong = false
        for entry in entries {
            guard entry.row.nameBracket != 0, entry.module == nil, let name = entry.symbol, let offset = entry.row.symbol.offset else {
                continue
            }
            guard let address = entry.row.address, offset < address, (address - offset) & 0xFFF == 0 else { return }
            bases[name, default: []].insert(address - offset)
            isLong = isLong || offset > 0x1_0000
        }
        guard isLong, bases.values.allSatisfy({ $0.count == 1 }), bases.count < entries.count else { return }
        for index in entries.indices {
            guard entries[index].row.nameBracket != 0, entries[index].module == nil, let name = entries[index].symbol,
                let offset = entries[index].row.symbol.offset, let address = entries[index].row.address, offset < address
            else { continue }
            entries[index].module = name
            entries[index].symbol = nil
            entries[index].row.symbol = StackRow.Symbol()
            (entries[index].row.moduleOffset, entries[index].row.base) = (offset, address - offset)
        }
    }

    private mutating func frame(_ entry: RowStack.Entry, before: Frame?, hasNumbers: Bool) -> Frame {
        let row = entry.row
        var frame = Frame(
            index: (hasNumbers ? row.number : nil) ?? before.map { $0.index + ($0.isInlined ? 0 : 1) } ?? 0, kind: .returnAddress,
            address: nil,
            range: entry.range)
        let isAddress = card?.hasOwnRows == true || row.address != 0 && row.address != .max
        if let address = row.address, isAddress, !isLinked { frame.address = RuntimeAddress(address) }
        if let symbolizedName = entry.symbolizedName {
            frame.printed = PrintedSymbol(name: symbolizedName, location: entry.location)
        } else if entry.symbol != nil || entry.location != nil {
            let offset = entry.symbol == nil || row.isBeforeSymbol ? nil : row.symbol.offset
            frame.printed = PrintedSymbol(name: entry.symbol, offset: offset, location: entry.location)
        }
        frame.imageName = entry.module.map(Path.foreignName)
        frame.isInlined = entry.isInlined
        frame.isUnreliable = row.isUnreliable
        frame.functionNumber = row.functionNumber.flatMap { Int(exactly: $0) }
        assignImage(&frame, entry)
        return frame
    }

    // MARK: Images

    private mutating func assignImage(_ frame: inout Frame, _ entry: RowStack.Entry) {
        let row = entry.row
        // An address before a symbol has no offset in it.
        if row.isBeforeSymbol {
            frame.image = entry.module.flatMap { index(of: $0, entry) }
            return
        }
        if let base = row.base, let offset = row.moduleOffset, let address = row.address, base &+ offset == address {
            // The row has the image's load address. If no other row names it, `ImageTable` adds the image.
            frame.imageOffset = ImageOffset(offset)
            guard let index = entry.module.flatMap({ index(of: $0, entry) }) else { return }
            let knownBase = images[index].base
            guard knownBase == nil || knownBase?.value == base else { return }
            images[index].base = RuntimeAddress(base)
            frame.image = index
            return
        }
        if entry.module != nil || entry.id != nil {
            let name = entry.module ?? entry.id?.description ?? ""
            frame.image = index(of: name, entry)
            // An address and the image's load address are more exact than the function's name.
            let hasLoadAddress = frame.address != nil && row.moduleOffset == nil && frame.image.map { images[$0].base != nil } == true
            frame.imageLocation = hasLoadAddress ? nil : imageLocation(row, entry)
        } else if isLinked, let address = row.address {
            if card?.addresses == .asLinked { frame.image = programIndex() }
            frame.imageLocation = .linkAddress(LinkAddress(address))
        } else if let symbol = entry.symbol, let offset = row.symbol.offset {
            // Without a module, the function's name and the offset are the only location.
            frame.imageLocation = .symbol(SymbolLocation(name: symbol, offset: offset, size: row.symbol.size))
        } else if row.isOfUnnamedModule, let offset = row.moduleOffset, let address = row.address, offset <= address, address >= 0x1000 {
            frame.imageLocation = .linkAddress(LinkAddress(offset))
            frame.image = index(ofImageWithBias: address - offset) ?? programIndex()
        }
        if let link = row.linkAddress {
            frame.imageLocation = (card?.offsets ?? .linkAddress).location(link)
            frame.image = frame.image ?? programIndex()
        }
    }

    /// Whether the rows' addresses are those assigned by the linker.
    private var isLinked: Bool { card?.addresses == .asLinked || card?.addresses == .asLinkedAnywhere }

    /// Index of the image whose rows have this difference between address and offset: Ceph's
    /// `(()+0x8865e2) [0x562cbda865e2]` beside `ceph-osd(+0x57f956) [0x562cbd77f956]`.
    private mutating func index(ofImageWithBias bias: UInt64) -> Int? {
        let modules = biases.filter { $0.value == [bias] }
        guard modules.count == 1, let module = modules.first?.key else { return nil }
        if let index = imageIndices[module] { return index }
        return add(BinaryImage(file: module), named: module)
    }

    private mutating func index(of module: String, _ entry: RowStack.Entry) -> Int? {
        if let index = imageIndices[module] {
            if let id = entry.id, images[index].id == nil { images[index].id = id }
            return index
        }
        // `Module ls with build-id …` above `(/home/w/ls + 0x1364e)`
        if let index = imageIndices[Path.foreignName(of: module)], index < listedCount, images[index].path == nil {
            imageIndices[module] = index
            return index
        }
        // The heading gives the program's load address, and its rows the name.
        if entry.row.isOfProgram, let program, images[program].name == RowFrames.unnamed {
            let named = BinaryImage(file: module)
            (images[program].name, images[program].path) = (named.name, named.path)
            imageIndices[module] = program
            return program
        }
        return add(BinaryImage(file: module, id: entry.id), named: module)
    }

    /// Index of the program's image, if no row names it: the image without a name, or one from the heading.
    private mutating func programIndex() -> Int? {
        program ?? imageIndices[RowFrames.unnamed] ?? add(BinaryImage(name: RowFrames.unnamed), named: RowFrames.unnamed)
    }

    /// - Returns: the image's index; `nil` if there are too many.
    private mutating func add(_ image: BinaryImage, named name: String) -> Int? {
        guard images.count < Limits.standard.images else { return nil }
        imageIndices[name] = images.count
        images.append(image)
        return images.count - 1
    }

    /// The name of a program that the log does not name.
    static let unnamed = "<unknown>"

    private func imageLocation(_ row: StackRow, _ entry: RowStack.Entry) -> ImageLocation? {
        if let offset = row.moduleOffset {
            return card?.offsets == .file
                ? .fileOffset(offset) : isFromStart(entry) ? .offset(ImageOffset(offset)) : .linkAddress(LinkAddress(offset))
        }
        guard let address = row.address else {
            return entry.symbol.flatMap { name in
                row.symbol.offset.map { .symbol(SymbolLocation(name: name, offset: $0, size: row.symbol.size)) }
            }
        }
        if isLinked { return .linkAddress(LinkAddress(address)) }
        if let module = entry.module, let own = biases[module], own.count == 1, let bias = own.first, bias <= address {
            return isFromStart(entry) ? .offset(ImageOffset(address - bias)) : .linkAddress(LinkAddress(address - bias))
        }
        if let symbol = entry.symbol, let offset = row.symbol.offset {
            return .symbol(SymbolLocation(name: symbol, offset: offset, size: row.symbol.size))
        }
        // Programs of Darwin are linked at 4 GB, and loaded somewhere above.
        if card?.offsets == .imageStart, address >> 32 != 0 { return nil }
        // In a program that is not position-independent, the address is as linked. Otherwise it is above all code of
        // the file, and the lookup finds nothing.
        return .linkAddress(LinkAddress(address))
    }

    /// Whether the offsets in the row's module count from its first byte.
    private func isFromStart(_ entry: RowStack.Entry) -> Bool {
        card?.offsets == .imageStart || entry.id != nil || isDarwin || entry.module.map { fromStart.contains($0) } == true
    }

    /// Whether the path is one of Darwin: `/Applications/Demo.app/Contents/MacOS/Demo`, `/usr/lib/libSystem.B.dylib`.
    private static func isOfDarwin(_ module: String) -> Bool {
        module.hasSuffix(".dylib") || module.contains(".app/Contents/") || module.contains(".framework/")
    }

    /// Whether the name is that of a program or library of Windows: `C:\\berth\\berth.exe`, `quay.DLL`.
    private static func isOfWindows(_ module: String) -> Bool {
        let name = module.lowercased()
        return name.hasSuffix(".exe") || name.hasSuffix(".dll")
    }

    // MARK: Kinds

    /// The name that X servers and gdb print for the frame that a signal handler returns to.
    static let signalRow = "<signal handler called>"

    /// Gives inlined frames the address of the frame below, into which they were inlined.
    private func joinInlined(_ frames: inout [Frame]) {
        var enclosing: Int?
        for index in frames.indices.reversed() {
            guard frames[index].isInlined else {
                enclosing = index
                continue
            }
            guard let enclosing else {
                frames[index].isInlined = false
                continue
            }
            frames[index].address = frames[enclosing].address
            frames[index].image = frames[index].image ?? frames[enclosing].image
            frames[index].imageLocation = frames[enclosing].imageLocation
        }
    }

    /// - Parameter own: the rows as printed, because a result may replace the trampoline's name.
    private func decideKinds(_ frames: inout [Frame], _ rule: StackCard.Rule, own: [RowStack.Entry]) {
        // A stack that was cut off at its top begins with another number.
        var isFirst = frames.first?.index == 0
        var isInterrupted = false
        for index in frames.indices {
            switch rule {
            case .movedBack: frames[index].kind = .exact
            case .firstIsProgramCounter: frames[index].kind = isFirst || isInterrupted ? .programCounter : .returnAddress
            case .returnAddresses: frames[index].kind = isInterrupted ? .programCounter : .returnAddress
            }
            if own.indices.contains(index), let kind = own[index].row.kind { frames[index].kind = kind }
            guard !frames[index].isInlined else { continue }
            isFirst = false
            let symbol = own.indices.contains(index) ? own[index].symbol : nil
            isInterrupted =
                SignalFrame.isHandler(frames[index].printed) || SignalFrame.isHandler(name: symbol) || symbol == RowFrames.signalRow
        }
    }
}

extension CrashReport {
    /// Removes the image locations of frames without an image: their rows belong to files that are not read, or to no
    /// file, and a function's name there is not a location.
    mutating func dropLocationsWithoutImage() {
        changeStacks { stack in
            for index in stack.frames.indices where stack.frames[index].image == nil { stack.frames[index].imageLocation = nil }
        }
    }
}
