internal import BinaryPrimitives
internal import CrashLogModel

extension Frame {
    /// A frame as a row prints it.
    init(
        index: Int, kind: Kind = .returnAddress, address: UInt64?, place: Range<Int>, imageName: String? = nil, imageOffset: UInt64? = nil,
        printed: PrintedSymbol?, isInlined: Bool = false
    ) {
        self.init(index: index, kind: kind, address: address.map { RuntimeAddress($0) }, place: place)
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

    /// Adds a frame; beyond `Limits.framesPerThread` nothing is added.
    mutating func add(_ frame: Frame) {
        if count < Limits.standard.framesPerThread { append(frame) }
    }

    /// Adds a frame that has a number and no address: of code that no file holds.
    mutating func add(_ kind: Frame.Kind, _ symbol: PrintedSymbol?, at place: Range<Int>) {
        add(Frame(index: count, kind: kind, address: nil, place: place, printed: symbol))
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
    /// Inlined calls that a script has listed are above the row of the function that holds them,
    /// and are at its place.
    mutating func placeInlinedCalls() {
        var holder: Frame?
        for index in frames.indices.reversed() {
            guard frames[index].isInlined else {
                holder = frames[index]
                continue
            }
            guard let holder else { continue }
            (frames[index].address, frames[index].kind) = (holder.address, holder.kind)
            (frames[index].imagePlace, frames[index].imageName) = (holder.imagePlace, holder.imageName)
        }
    }
}
