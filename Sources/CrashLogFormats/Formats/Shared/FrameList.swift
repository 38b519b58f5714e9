internal import BinaryPrimitives
internal import CrashLogModel

extension Frame {
    /// A frame as a row prints it.
    init(
        index: Int, kind: Kind = .returnAddress, address: UInt64?, range: Range<Int>, imageName: String? = nil, imageOffset: UInt64? = nil,
        printed: PrintedSymbol?, isInlined: Bool = false
    ) {
        self.init(index: index, kind: kind, address: address.map { RuntimeAddress($0) }, range: range)
        self.imageName = imageName
        self.imageOffset = imageOffset.map { ImageOffset($0) }
        self.printed = printed
        self.isInlined = isInlined
    }
}

/// The frames of a stack while it is read.
extension [Frame] {
    /// The number of the next frame where rows have none: an inlined call counts with the function
    /// that holds it.
    var nextIndex: Int { last.map { $0.isInlined ? $0.index : $0.index &+ 1 } ?? 0 }

    /// Adds a frame. Of a stack with more than `Limits.framesPerThread` a quarter is removed from the middle at a time.
    mutating func add(_ frame: Frame) {
        let limit = Limits.standard.framesPerThread
        if count >= limit { removeMiddle(limit: limit / 4 * 3) }
        append(frame)
    }

    /// Adds a frame of a row without a number.
    mutating func addUnnumbered(_ frame: Frame) {
        var frame = frame
        frame.index = nextIndex
        add(frame)
    }

    /// Adds a frame that has a number and no address: of code that no file holds.
    mutating func add(_ kind: Frame.Kind, _ symbol: PrintedSymbol?, at range: Range<Int>) {
        add(Frame(index: count, kind: kind, address: nil, range: range, printed: symbol))
    }

    /// Makes all frames return addresses, but for the first where that `isExact`, and for what was
    /// interrupted below a signal's handler. Inlined calls are of the kind of the frame that holds
    /// them.
    mutating func decideKinds(isFirstExact: Bool, isHandler: (Frame) -> Bool = { _ in false }) {
        var isExact = isFirstExact
        for index in indices {
            if case .omitted = self[index].kind {
                isExact = false
                continue
            }
            self[index].kind = isExact ? .programCounter : .returnAddress
            if !self[index].isInlined { isExact = isHandler(self[index]) }
        }
    }
}

extension ThreadTrace {
    /// Gives inlined calls that a script has listed the address of the row below them, of the
    /// function that contains them.
    mutating func setInlinedCallAddresses() {
        var holder: Frame?
        for index in frames.indices.reversed() {
            guard frames[index].isInlined else {
                holder = frames[index]
                continue
            }
            guard let holder else { continue }
            (frames[index].address, frames[index].kind) = (holder.address, holder.kind)
            (frames[index].imageLocation, frames[index].imageName) = (holder.imageLocation, holder.imageName)
        }
    }
}

/// Finds inlined calls in stacks whose rows do not mark them: rows with names and one address,
/// innermost first, of which the last is the function that holds the code.
///
/// A call that recurs through the same instruction has one address in many rows as well: what
/// repeats itself as a whole, text and all, is a frame each time.
///
///     0x4025f9, App.parameter(_:)       inlined
///     0x4025f9, App.respond(to:)        holds the code
///     0x402711, App.descend(_:)         each holds the code
///     0x402711, App.descend(_:)
enum InlinedRows {
    /// Marks them in a stack whose frames all come from rows.
    static func mark(_ frames: inout [Frame]) {
        var start = 0
        while start < frames.count {
            var end = start + 1
            while end < frames.count, frames[end].addressKey == frames[start].addressKey { end += 1 }
            if end - start > 1, frames[start].addressKey != nil, frames[start..<end].allSatisfy({ $0.printed?.name?.isEmpty == false }) {
                let period = InlinedRows.period(frames[start..<end])
                for index in start..<end where (index - start + 1) % period != 0 && index != end - 1 { frames[index].isInlined = true }
            }
            start = end
        }
    }

    /// After how many rows the rows repeat themselves; their count where they never do. (The count
    /// less the length of the longest proper prefix that is a suffix as well, found as Knuth,
    /// Morris and Pratt do.)
    private static func period(_ frames: ArraySlice<Frame>) -> Int {
        let symbols = frames.map(\.printed)
        var borders = [0]
        borders.reserveCapacity(symbols.count)
        for index in symbols.indices.dropFirst() {
            var length = borders[index - 1]
            while length > 0, symbols[index] != symbols[length] { length = borders[length - 1] }
            borders.append(symbols[index] == symbols[length] ? length + 1 : 0)
        }
        return symbols.count - (borders.last ?? 0)
    }
}

extension Frame {
    /// Address and image that the rows of one frame and of the calls inlined in it share.
    fileprivate struct AddressKey: Equatable {
        var address: RuntimeAddress?
        var imageLocation: ImageLocation?
        var image: Int?
    }

    /// The address or, for ThreadSanitizer, which prints none, the location in the module; `nil` if
    /// the row has neither.
    fileprivate var addressKey: AddressKey? {
        if let address { return AddressKey(address: address) }
        return imageLocation.map { AddressKey(imageLocation: $0, image: image) }
    }
}
