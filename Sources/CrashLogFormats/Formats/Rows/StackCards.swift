internal import BinaryPrimitives
internal import CrashLogModel

/// The families of stacks that have a card: the one list that a new card is added to.
package enum StackCards {
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
        chromium,
        intelFortran,
        julia,
        envoy,
        bcc,
        computeSanitizer,
        mono,
        unity,
        mozStackWalk,
        node,
        haproxy,
        greenplum,
        gwpASan,
        libunwind,
        druntime,
        strace,
        swiftServer,
        ruby,
        rust,
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
        systemd,
        uBoot,
        umeng,
        wine,
        xcodeNavigator,
        xorg,
        zephyr,
    ]

    static let triggers: [String] = all.flatMap { $0.openings.map(\.text) }

    private static let openings = OpeningPairs(all)

    /// The cards that know rows without a heading.
    private static let claiming = all.filter { $0.claims != nil || $0.claimsLine != nil }

    /// The card whose opening the line has, and whether no other program has such lines.
    static func opened(by line: Span<UInt8>) -> (card: StackCard, isCertain: Bool)? {
        let text = line.trimmed()
        var left = openings.cards(in: line, text)
        while left != 0 {
            let card = all[left.trailingZeroBitCount]
            if let opening = card.opening(line, text) { return (card, card.isCertain || opening.isCertain) }
            left &= left - 1
        }
        return nil
    }

    package static func card(for line: Span<UInt8>) -> StackCard? { opened(by: line)?.card }

    /// The card that a row of the line is of, although no heading is above. Some rows only their
    /// family can read: `1 0xbf6f3c harbour Moor + 0x258`.
    static func card(claimingIn line: Span<UInt8>) -> StackCard? {
        guard RowSearch.firstPlace(in: line) != nil else { return nil }
        return card(claimingIn: line, RowSearch.row(in: line))
    }

    /// The same of a line with an address: `row` is what was read of it.
    static func card(claimingIn line: Span<UInt8>, _ row: StackRow?) -> StackCard? {
        if let row { return card(claiming: row, in: line) }
        let text = line.trimmed()
        return claiming.first { $0.readRow != nil && $0.claimsLine?(text) == true }
    }

    /// The same for a row that was read.
    static func card(claiming row: StackRow, in line: Span<UInt8>) -> StackCard? {
        let text = line.trimmed()
        return claiming.first { $0.claimsLine?(text) == true } ?? claiming.first { $0.claims?(row) == true }
    }
}
