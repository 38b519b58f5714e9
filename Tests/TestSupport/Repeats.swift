/// How many cases of a large set a test runs: a part in the default run, all of them with
/// `CAIRN_ALL_REPEATS=1` (`scripts/checks/all-repeats`).
package enum Repeats {
    package static let areAll: Bool = TestPaths.environment("CAIRN_ALL_REPEATS") != nil

    /// Chooses the samples: another one in each run, `CAIRN_TEST_SEED` where that is set. Printed
    /// once, so that a run can be repeated.
    package static let seed: UInt64 = {
        let seed = TestPaths.environment("CAIRN_TEST_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999_999)
        if !areAll { print("Samples of repeated tests: CAIRN_TEST_SEED=\(seed)") }
        return seed
    }()

    /// For the message of a failure: how the same cases are run again.
    package static var hint: String { areAll ? "CAIRN_ALL_REPEATS=1" : "CAIRN_TEST_SEED=\(seed)" }

    /// - Parameter part: one repeat of so many is in the default run.
    /// - Returns: the step from one repeat to the next.
    package static func step(_ part: Int) -> Int { areAll ? 1 : part }

    /// A sample of `cases`, drawn by the seed, in their order; all of them with
    /// `CAIRN_ALL_REPEATS=1`.
    /// - Parameter name: distinguishes the samples that one seed draws.
    package static func sample<Case>(_ count: Int, of cases: [Case], for name: String) -> [Case] {
        guard !areAll, count < cases.count else { return cases }
        // FNV-1a: the standard hash differs from run to run.
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        var numbers = SplitMix64(seed: seed ^ hash)
        return cases.indices.shuffled(using: &numbers).prefix(count).sorted().map { cases[$0] }
    }
}

/// The first line in which two texts differ, for the message of a failure.
/// - Returns: `nil` for equal texts.
package func firstDifference(_ found: String, from expected: String) -> String? {
    if found == expected { return nil }
    let lines = [found, expected].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    let index = zip(lines[0], lines[1]).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(lines[0].count, lines[1].count)
    let shown = lines.map { index < $0.count ? "“\($0[index])”" : "the end" }
    return "line \(index + 1): \(shown[0]), expected \(shown[1])"
}

/// Random numbers that are the same in every run (Steele, Lea and Flood's SplitMix64, 2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Random numbers that are the same in every run: Knuth's 64-bit linear congruential generator (MMIX), its upper bits mixed
/// into the lower ones.
package struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
