/// Formats whose rows give their kind in words.
extension NaiveCount {
    /// A row of x86 has the program counter after `ip`; registers and MIPS' two lines have theirs
    /// after `epc`, `pc` and `ra`.
    @Sendable static func kernelSegfault(_ text: String) -> NaiveCount {
        NaiveCount(
            frames: lines(text).count { tokens in
                tokens.contains { $0 == "ip" || $0.hasPrefix("ip:") } || tokens.contains("epc")
                    || tokens.contains("ra") && tokens.contains("=")
            })
    }

    /// A row is an address and a tab, or a Java frame without one.
    @Sendable static func mixedStacks(_ text: String) -> NaiveCount {
        NaiveCount(frames: lines(text).count { $0.count > 1 && ($0[0].hasPrefix("0x") || $0[0] == "*") })
    }

    /// Between the heading and the sum of allocations all lines but one are rows.
    @Sendable static func julia(_ text: String) -> NaiveCount {
        NaiveCount(frames: lines(text).count { $0.contains("at") && $0[0] != "in" || $0[0] == "unknown" })
    }

    /// Rows have a number, an address, and a module after `in`.
    @Sendable static func wine(_ text: String) -> NaiveCount {
        NaiveCount(
            frames: lines(text).count { tokens in
                tokens.count > 3 && tokens.contains("in") && tokens[1].hasPrefix("0x")
                    && (tokens[0].hasPrefix("=>") || tokens[0].allSatisfy(\.isNumber))
            })
    }
}
