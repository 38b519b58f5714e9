internal import BinaryPrimitives
internal import CrashLogModel

/// The list of all cards. A new card must be added to it.
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
        drMingw,
        godot,
        godotWindows,
        minidumpStackwalk,
        darwin,
        esp8266,
        espIDF,
        ipsw,
        kotlinNative,
        lldb,
        systemd,
        uBoot,
        umeng,
        xen,
        vmkernel,
        haiku,
        opTEE,
        illumos,
        qnx,
        creport,
        graalNativeImage,
        wasmtime,
        webAssembly,
        wamr,
        wasmer,
        dotNetSOS,
        espHAL,
        wine,
        xcodeNavigator,
        xorg,
        zephyr,
    ]

    static let triggers: [String] = all.flatMap { $0.openings.map(\.text) }

    private static let openings = OpeningPairs(all)

    /// The `claimsLine` and `claims` functions with the indices of their cards. Copying a card is expensive and few
    /// lines belong to any, so that only these are searched.
    private static let lineClaims = all.indices.compactMap { index in all[index].claimsLine.map { (index: index, claims: $0) } }
    private static let rowClaims = all.indices.compactMap { index in all[index].claims.map { (index: index, claims: $0) } }
    private static let readerClaims = lineClaims.filter { all[$0.index].readRow != nil }

    /// The card whose opening the line has, and whether no other program has such lines.
    static func opened(by line: Span<UInt8>) -> (card: StackCard, isCertain: Bool)? {
        let text = line.trimmed()
        var remaining = openings.cards(in: line, text)
        while remaining != 0 {
            let index = remaining.trailingZeroBitCount
            if let opening = all[index].opening(line, text) { return (all[index], all[index].isCertain || opening.isCertain) }
            remaining &= remaining - 1
        }
        return nil
    }

    package static func card(for line: Span<UInt8>) -> StackCard? { opened(by: line)?.card }

    /// The card that claims a row of the line without a heading. Some rows can only be read by their family:
    /// `1 0xbf6f3c harbour Moor + 0x258`.
    static func card(claimingIn line: Span<UInt8>) -> StackCard? {
        guard RowSearch.firstAddressOrOffset(in: line) != nil else { return nil }
        return card(claimingIn: line, RowSearch.row(in: line))
    }

    /// The card that claims a line with an address. `row` is the row that was read from the line, if any.
    static func card(claimingIn line: Span<UInt8>, _ row: StackRow?) -> StackCard? {
        if let row { return card(claiming: row, in: line) }
        let text = line.trimmed()
        return readerClaims.first { $0.claims(text) }.map { all[$0.index] }
    }

    /// Whether a family claims the line by its whole text, the family's own prefix included.
    static func claimsText(of line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        return lineClaims.contains { $0.claims(text) }
    }

    /// The card that claims a row that was read.
    static func card(claiming row: StackRow, in line: Span<UInt8>) -> StackCard? {
        let text = line.trimmed()
        return (lineClaims.first { $0.claims(text) }?.index ?? rowClaims.first { $0.claims(row) }?.index).map { all[$0] }
    }
}
