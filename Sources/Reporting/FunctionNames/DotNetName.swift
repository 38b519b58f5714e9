/// .NET: what compilers make of a method for its lambdas and for `async` and `yield` is the method's.
///
///     Acme.Runner.<RunAsync>d__5.MoveNext                 Acme.Runner.RunAsync
///     Acme.Program.<>c__DisplayClass3_0.<Main>b__1        Acme.Program.Main, a closure
///     System.Threading.Tasks.Task`1[TResult].InnerInvoke  System.Threading.Tasks.Task.InnerInvoke
enum DotNetName {
    static func normalize(_ name: inout NameText) -> Bool {
        var parts: [[UInt8]] = []
        var isClosure = false
        for part in name.bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            var text = Array(part)
            // Parameters of types and methods: `Task`1[TResult]`, `Run[T]`.
            if let end = text.firstIndex(where: { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "[") }), end > 0 {
                text.removeLast(text.count - end)
            }
            if text.starts(with: "<>".utf8) { continue }
            // `Program+<>c`
            if let plus = text.firstIndex(of: UInt8(ascii: "+")), text[(plus + 1)...].starts(with: "<".utf8) {
                parts.append(Array(text[..<plus]))
                text.removeFirst(plus + 1)
                if text.starts(with: "<>".utf8) { continue }
            }
            if text.first == UInt8(ascii: "<"), let close = text.firstIndex(of: UInt8(ascii: ">")), close > 1 {
                // `d__5` is a state machine; `b__1`, `m__0` (Mono) and `g__Local|1_0` are functions inside.
                isClosure = isClosure || text.dropFirst(close + 1).first != UInt8(ascii: "d")
                text = Array(text[1..<close])
            } else if text.elementsEqual("MoveNext".utf8), let owner = parts.last, !owner.isEmpty, name.bytes.contains(UInt8(ascii: "<")) {
                continue
            }
            parts.append(text)
        }
        let joined = Array(parts.joined(separator: [UInt8(ascii: ".")]))
        if !joined.isEmpty { name.bytes = joined }
        return isClosure
    }
}
