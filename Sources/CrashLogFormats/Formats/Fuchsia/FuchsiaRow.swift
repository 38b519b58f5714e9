internal import BinaryPrimitives
internal import CrashLogModel

/// A row of a Fuchsia stack, as it was written or as the tools of its time have symbolicated it:
///
///     bt#01: pc 0xd8af19736ef sp 0x6ef13e3cf6b8 (app:/tmp/syz-executor,0x135e6ef)       Zircon's crash service
///     bt#00: 0xffffffff00105e46                                                         its kernel
///     bt#00: 0x00105e46 platform_halt platform/pc/power.cpp:122                         the same, symbolicated by syzkaller; the upper half of the address is lost
///     bt#04: [ inline ] size_to_index_freeing lib/heap/cmpctmalloc/cmpctmalloc.c:303
///     #12   0x000040f5319c2016 in std::sys_common::… library/std/src/backtrace.rs:171 <libstd-f42.so>+0xa0016        Fuchsia's symbolizer
///     #4 core::fmt::write(…) • library/core/src/fmt/mod.rs:1169                         its short form, and where it has no symbols:
///     #30 0x026d14377e79 <VMO#139113>(5f6ac44089fc254a4911e3b55cdaa6d10c4f8174)+0x63e79
struct FuchsiaRow {
    var index: Int
    var address: UInt64?
    var imageName: String?
    var imageOffset: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    /// A row that no tool has symbolicated: `bt#` without a name, or without symbols.
    var isOwn = false
    /// After the number: where a row of an inlined call goes on.
    var numberEnd = 0

    /// - Parameter isInStack: rows that begin with a mere number count only after a heading.
    init?(_ row: Span<UInt8>, isInStack: Bool) {
        var rest = row
        rest.skipBlanks()
        isOwn = rest.take("bt#")
        guard isOwn || (isInStack && rest.take("#")), let number = rest.takeDecimal(), let index = Int(exactly: number) else { return nil }
        self.index = index
        if isOwn {
            guard rest.take(": ") else { return nil }
            numberEnd = row.count - rest.count
            guard !rest.trimmed().equals("end") else { return nil }
            isInlined = rest.take("[ inline ] ")
            if rest.take("pc ") {
                guard takeProgram(&rest) else { return nil }
            } else if !isInlined {
                guard let value = rest.takeAddress() else { return nil }
                address = value
                rest.skipBlanks()
            }
            printed = FuchsiaRow.printed(rest)
            if isInlined, printed == nil { return nil }
        } else {
            // `#3.1`: a call that was inlined into frame 3.
            if rest.take(".") { guard rest.takeDecimal() != nil else { return nil } }
            numberEnd = row.count - rest.count + 1
            guard rest.at(0).map(isBlank) ?? false else { return nil }
            rest.skipBlanks()
            if rest.hasPrefix("[ inline ] ") {
                isInlined = true
                rest = rest.from("[ inline ] ".utf8.count)
                printed = FuchsiaRow.printed(rest)
                guard printed?.location != nil else { return nil }
                return
            }
            if let value = rest.takeAddress() {
                address = value
                if rest.hasPrefix(" <") {
                    guard takeUnknown(&rest) else { return nil }
                    printed = FuchsiaRow.printed(rest)
                    return
                }
                guard rest.take(" in ") else { return nil }
                if let image = rest.lastRange(of: " <") {
                    takeImage(rest.from(image.upperBound))
                    rest = rest.upTo(image.lowerBound)
                }
                printed = FuchsiaRow.printed(rest)
            } else if let bullet = rest.firstRange(of: " • ") {
                let location = KernelSymbolTail.location(rest.from(bullet.upperBound).trimmed())
                printed = PrintedSymbol(name: rest.upTo(bullet.lowerBound).text, location: location)
            } else {
                return nil
            }
        }
    }

    /// ` <VMO#139113>(5f6ac44089fc254a4911e3b55cdaa6d10c4f8174)+0x63e79`
    private mutating func takeUnknown(_ rest: inout Span<UInt8>) -> Bool {
        guard rest.take(" <"), let close = rest.firstRange(of: ">("), let end = rest.firstRange(of: ")+") else { return false }
        guard close.upperBound <= end.lowerBound else { return false }
        imageName = rest.upTo(close.lowerBound).text
        rest = rest.from(end.upperBound)
        imageOffset = rest.takeAddress()
        isOwn = true
        return imageOffset != nil
    }

    /// `0xd8af19736ef sp 0x6ef13e3cf6b8 (app:/tmp/syz-executor,0x135e6ef)`
    private mutating func takeProgram(_ rest: inout Span<UInt8>) -> Bool {
        guard let value = rest.takeAddress(), rest.take(" sp "), rest.takeAddress() != nil, rest.take(" (") else { return false }
        guard let close = rest.firstIndex(of: UInt8(ascii: ")")), let comma = rest.lastIndex(of: UInt8(ascii: ","), before: close) else {
            return false
        }
        address = value
        imageName = rest.upTo(comma).text
        imageOffset = rest.clamped(to: comma + 1..<close).leadingAddress
        rest = rest.from(close + 1)
        rest.skipBlanks()
        return true
    }

    /// `libstd-f42.so>+0xa0016`
    private mutating func takeImage(_ text: Span<UInt8>) {
        guard let close = text.firstRange(of: ">+") else { return }
        imageName = text.upTo(close.lowerBound).text
        imageOffset = text.from(close.upperBound).leadingAddress
    }

    /// `name file:line`: the name may hold blanks.
    private static func printed(_ text: Span<UInt8>) -> PrintedSymbol? {
        let text = text.trimmed()
        guard text.count > 0 else { return nil }
        guard let blank = text.lastIndex(of: UInt8(ascii: " ")), blank > 0, let location = KernelSymbolTail.location(text.from(blank + 1))
        else {
            return PrintedSymbol(name: text.text)
        }
        return PrintedSymbol(name: text.upTo(blank).text, location: location)
    }
}
