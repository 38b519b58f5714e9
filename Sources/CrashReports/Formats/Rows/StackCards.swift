internal import BinaryPrimitives

/// The families of stacks that have a card: the one list that a new card is added to.
enum StackCards {
    static let all: [StackCard] = [
        glibc,
        valgrind,
        pytorch,
        glog,
        abseil,
        folly,
        llvm,
        gfortran,
        clickhouse,
        seastar,
        backward,
        euStack,
        boost,
        intelFortran,
        envoy,
        bcc,
        computeSanitizer,
        mono,
        unity,
        mozStackWalk,
        haproxy,
        greenplum,
        libunwind,
        druntime,
        strace,
        ruby,
        ceph,
        cortexM,
        crashlytics,
        dart,
        dartVM,
        godot,
        minidumpStackwalk,
        darwin,
        esp8266,
        espIDF,
        kotlinNative,
        lldb,
        uBoot,
        umeng,
        xcodeNavigator,
        zephyr,
    ]

    static let triggers: [String] = all.flatMap { $0.openings.map(\.text) }

    /// The cards that know rows without a heading.
    private static let claiming = all.filter { $0.claims != nil || $0.claimsLine != nil }

    /// The card whose opening the line has.
    static func card(for line: Span<UInt8>) -> StackCard? {
        let text = line.trimmed()
        return all.first { $0.opens(text) }
    }

    /// The card that the row of the line is of, although no heading stands above.
    static func card(claiming row: StackRow, in line: Span<UInt8>) -> StackCard? {
        let text = line.trimmed()
        return claiming.first { $0.claimsLine?(text) == true } ?? claiming.first { $0.claims?(row) == true }
    }
}
