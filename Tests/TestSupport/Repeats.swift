/// How often a test repeats one case with other bytes: some of the repeats in the default run, all
/// of them with `CAIRN_ALL_REPEATS=1` (`scripts/checks/all-repeats`).
package enum Repeats {
    package static let areAll: Bool = TestPaths.environment("CAIRN_ALL_REPEATS") != nil

    /// - Parameter part: one repeat of so many is in the default run.
    /// - Returns: the step from one repeat to the next.
    package static func step(_ part: Int) -> Int { areAll ? 1 : part }
}
