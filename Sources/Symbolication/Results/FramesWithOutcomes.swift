public import CrashLogModel

/// The frames of a report with their outcomes, in the order of `SymbolicatedReport.allFrames`: nothing is copied, however many there are.
public struct FramesWithOutcomes: Sequence, Sendable {
    private let stacks: [(frames: [Frame], outcomes: [FrameOutcome])]

    init(_ stacks: [(frames: [Frame], outcomes: [FrameOutcome])]) { self.stacks = stacks }

    /// The number of frames that have an outcome: all of them.
    public var count: Int { stacks.reduce(0) { $0 + Swift.min($1.frames.count, $1.outcomes.count) } }

    public func makeIterator() -> Iterator { Iterator(stacks: stacks) }

    public struct Iterator: IteratorProtocol {
        fileprivate let stacks: [(frames: [Frame], outcomes: [FrameOutcome])]
        private var (stack, index) = (0, 0)

        fileprivate init(stacks: [(frames: [Frame], outcomes: [FrameOutcome])]) { self.stacks = stacks }

        public mutating func next() -> (frame: Frame, outcome: FrameOutcome)? {
            while stack < stacks.count {
                if index < stacks[stack].frames.count, index < stacks[stack].outcomes.count {
                    defer { index += 1 }
                    return (stacks[stack].frames[index], stacks[stack].outcomes[index])
                }
                (stack, index) = (stack + 1, 0)
            }
            return nil
        }
    }
}
