/// Objective-C: `-[Tank(Draining) empty:]` is `-[Tank empty:]`, and
/// `__25-[Tank(Draining) empty:]_block_invoke_2` is, too; `__drain_block_invoke.12` is `drain`.
enum ObjectiveCName {
    static func normalize(_ name: inout NameText) -> Bool {
        CloneSuffix.remove(from: &name)
        var isClosure = false
        if let block = name.first("_block_invoke"), block > 0 {
            name.keep(first: block)
            isClosure = true
            // `__25-[`: the length of what follows, which the compiler puts before a method's name.
            while name.hasPrefix("_") { name.keep(from: 1) }
            while let first = name.bytes.first, first &- 0x30 < 10 { name.keep(from: 1) }
        }
        if name.hasPrefix("-[") || name.hasPrefix("+[") {
            if let open = name.first("("), let close = name.first(")", from: open), let space = name.first(" "), close < space {
                name.bytes.removeSubrange(open...close)
            }
            if let end = name.first("]") { name.keep(first: end + 1) }
        }
        return isClosure
    }
}
