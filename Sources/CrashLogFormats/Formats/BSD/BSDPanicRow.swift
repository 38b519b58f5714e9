internal import BinaryPrimitives
internal import CrashLogModel

/// A row of a BSD kernel's stack, in the ways of its debuggers:
///
///     #3 0xffffffff80edf832 at trap_fatal+0x322                                             FreeBSD, `KDB: stack backtrace:` (`subr_kdb.c`)
///     vpanic() at vpanic+0x1e0/frame 0xfffffe004b9db6b0                                     FreeBSD's ddb
///     pmap_destroy() at netbsd:pmap_destroy+0x265                                           NetBSD's ddb
///     pool_put(ffffff0016933440,ffff80000e3793e8) at pool_put+0x37                          OpenBSD's ddb
///
/// ddb names the function a second time after ` at `, with the offset that the frame is at; kernel
/// modules come before it with a colon.
struct BSDPanicRow {
    var address: UInt64?
    var name: String
    var offset: UInt64?
    var location: SourceLocation?
    var isInlined = false
    /// The module that the name is in, as NetBSD writes it: `netbsd` is the kernel.
    var module: String?
    /// Where the place and FreeBSD's frame pointer end in the row: file and line of a result belong
    /// after them.
    var placeEnd: Int
    /// Where the name begins.
    var nameStart: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        if rest.take("#") {
            guard rest.takeDecimal() != nil, rest.take(" "), let value = rest.takeAddress(), rest.take(" at ") else { return nil }
            address = value
        } else {
            // `name(arguments) at place`
            guard let at = rest.firstRange(of: ") at "), let open = rest.firstIndex(of: UInt8(ascii: "(")), open > 0, open < at.lowerBound
            else { return nil }
            for index in 0..<open where !KernelSymbol.isNameByte(rest[index]) { return nil }
            rest = rest.from(at.upperBound)
        }
        if rest.trimmed().hasSuffix(" [inline]") {
            // What symbolication has put above a row: the name may hold blanks.
            let text = rest.trimmed().upTo(rest.trimmed().count - " [inline]".utf8.count)
            guard let blank = text.lastIndex(of: UInt8(ascii: " ")), blank > 0, let found = KernelSymbolTail.location(text.from(blank + 1))
            else { return nil }
            name = text.upTo(blank).text
            (location, isInlined) = (found, true)
            (nameStart, placeEnd) = (row.count - rest.count, row.count)
            return
        }
        var length = 0
        while let byte = rest.at(length), KernelSymbol.isNameByte(byte), length < 1024 { length += 1 }
        if length > 0, rest.at(length) == UInt8(ascii: ":"), let next = rest.at(length + 1), KernelSymbol.isNameByte(next), !isDigit(next) {
            module = rest.upTo(length).text
            rest = rest.from(length + 1)
            length = 0
            while let byte = rest.at(length), KernelSymbol.isNameByte(byte), length < 1024 { length += 1 }
        }
        guard length > 0 else { return nil }
        nameStart = row.count - rest.count
        name = rest.upTo(length).text
        rest = rest.from(length)
        if rest.take("+") {
            guard let value = rest.takeAddress() else { return nil }
            offset = value
        }
        if rest.take("/frame ") { _ = rest.takeAddress() }
        placeEnd = row.count - rest.count
        rest.skipBlanks()
        // What symbolication adds.
        if let found = KernelSymbolTail.location(rest.takeToken()) { location = found }
    }
}
