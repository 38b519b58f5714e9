internal import Synchronization

/// What was found out of functions, for the next log that has them: of many logs of one program
/// most functions are the same.
package final class FrameMemory: Sendable {
    /// All that what is remembered follows from.
    struct Function: Hashable {
        var name: String
        var mangled: String
        var file: String?
        var format: String
        var module: String
        var path: String?
    }

    struct Known {
        var name: NormalizedName
        var roles: FrameLists.Roles
        var isOwn: Bool
    }

    private let known = Mutex<[Function: Known]>([:])
    /// Functions that are kept (of some hundred bytes each); with more, all are forgotten.
    private static let limit = 16_384

    package init() {}

    func known(_ function: Function, _ find: () -> Known) -> Known {
        if let known = known.withLock({ $0[function] }) { return known }
        let found = find()
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
            known[function] = found
        }
        return found
    }
}
