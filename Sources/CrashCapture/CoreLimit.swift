internal import LibC

/// How large the core files may be that a command leaves (`RLIMIT_CORE`, setrlimit(2)): a limit
/// that it inherits. Most systems set the soft one to 0, and let everybody raise it to the hard
/// one.
package struct CoreLimit {
    private let before: rlimit

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(4)
    #else
        private static let resource = RLIMIT_CORE
    #endif

    private init(before: rlimit) { self.before = before }

    /// The hard limit is 0: no core can be had.
    package static var isForbidden: Bool { current.map { $0.rlim_max == 0 } ?? false }

    /// The limit keeps cores from being written, and can be raised.
    package static var isRaisable: Bool { current.map { $0.rlim_cur == 0 && $0.rlim_max != 0 } ?? false }

    /// Raises the soft limit to the hard one, until `restore`.
    /// - Returns: `nil` where cores are not kept from being written, or cannot be had.
    package static func raise() -> CoreLimit? {
        guard isRaisable, let before = current else { return nil }
        var raised = before
        raised.rlim_cur = before.rlim_max
        guard unsafe setrlimit(resource, &raised) == 0 else { return nil }
        return CoreLimit(before: before)
    }

    /// Restores the previous limit for processes that are started from now on.
    package func restore() {
        var limit = before
        unsafe _ = setrlimit(Self.resource, &limit)
    }

    private static var current: rlimit? {
        var limit = rlimit()
        return unsafe getrlimit(resource, &limit) == 0 ? limit : nil
    }
}
