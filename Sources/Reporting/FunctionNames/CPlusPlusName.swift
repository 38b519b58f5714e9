/// C and C++: `int average<int>(std::vector<int> const&, int) [clone .cold]` is `average`;
/// `(anonymous namespace)::Mold::pour(long*)` is `Mold::pour`.
///
/// Arguments are dropped: debuggers print values in their place (`pour (target=0x0)`), so logs of
/// one crash would differ. Overloads that differ in nothing else then count as one function, as
/// people speak of them; an operator keeps what it is.
enum CPlusPlusName {
    static func normalize(_ name: inout NameText) -> Bool {
        var isClosure = false
        for word in ["non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ", "guard variable for "]
        where name.drop(prefix: word) {}
        CloneSuffix.remove(from: &name)
        name.replace("(anonymous namespace)::")
        name.replace("`anonymous namespace'::")
        name.replace("`anonymous-namespace'::")
        name.replace("{anonymous}::")
        name.replace("_GLOBAL__N_1::")
        foldTags(&name)
        unwrapInvoker(&name)
        isClosure = foldLambda(&name)
        let call = protectOperators(&name)
        name.fold(UInt8(ascii: "<"), UInt8(ascii: ">"))
        dropArguments(&name)
        dropReturnType(&name)
        restoreOperators(&name, call)
        // Debuggers have a lambda's function without what it is in.
        if name.string == "operator()" {
            name.keep(first: 0)
            isClosure = true
        }
        for part in ["std::__1::", "std::__cxx11::", "std::__ndk1::", "std::__Cr::"] { name.replace(part, with: "std::") }
        return isClosure
    }

    /// `name[abi:cxx11]`
    private static func foldTags(_ name: inout NameText) {
        while let tag = name.first("[abi:") {
            guard let end = name.first("]", from: tag) else { return }
            name.bytes.removeSubrange(tag...end)
        }
    }

    static func isInvoker(_ name: NameText) -> Bool {
        name.contains("std::_Function_handler<") && name.contains("::_M_invoke") || name.contains("__function::__func<")
    }

    /// `std::_Function_handler<void (Job&), add(Jobs&)::{lambda(Job&)#3}>::_M_invoke(…)`,
    /// `std::__function::__func<add(Jobs&)::$_0, …>::operator()(Job&)`: what a `std::function`
    /// calls, into which an optimiser puts the lambda itself. Where there are no lines it is the
    /// only name that the lambda's code has.
    private static func unwrapInvoker(_ name: inout NameText) {
        guard isInvoker(name), let mark = name.last("::{lambda") ?? name.last("::$_") ?? name.last("::'lambda") else { return }
        // The function's own name begins after the last comma or bracket in front of it that is not
        // inside of its arguments.
        var depth = 0
        var start = mark
        while start > 0 {
            let byte = name.bytes[start - 1]
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: ">") { depth += 1 }
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "<") {
                if depth == 0 { break }
                depth -= 1
            }
            if byte == UInt8(ascii: ","), depth == 0 { break }
            start -= 1
        }
        var lambda = NameText(name.bytes[start...])
        while lambda.drop(prefix: " ") {}
        if !lambda.isEmpty { name = lambda }
    }

    /// `add(Jobs&)::{lambda(Job&)#3}::operator()(Job&) const`, `add(Jobs&)::<lambda(Job&)>`,
    /// `add(Jobs&)::$_0::operator()`, `add(Jobs&)::'lambda'(Job&)::operator()`: `add`. A class
    /// template in the standard library that is made for a lambda, as `std::_Function_handler<void
    /// (Job&), add(Jobs&)::{lambda(Job&)#3}>::_M_invoke`, stays what it is.
    private static func foldLambda(_ name: inout NameText) -> Bool {
        var depth = 0
        for (index, byte) in name.bytes.enumerated() {
            if byte == UInt8(ascii: "<"), depth == 0, starts("<lambda", name, index) { return cut(&name, index) }
            if byte == UInt8(ascii: "{"), depth == 0,
                starts("{lambda", name, index) || starts("{default arg", name, index) || starts("{unnamed type", name, index)
            {
                return cut(&name, index)
            }
            if byte == UInt8(ascii: "'"), depth == 0, starts("'lambda", name, index) { return cut(&name, index) }
            if byte == UInt8(ascii: "$"), depth == 0, starts("$_", name, index) { return cut(&name, index) }
            if depth == 0, byte == UInt8(ascii: "("), starts("(anonymous class)", name, index) { return cut(&name, index) }
            if byte == UInt8(ascii: "<") || byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ">") || byte == UInt8(ascii: ")") { depth = max(0, depth - 1) }
        }
        return false
    }

    private static func starts(_ text: String, _ name: NameText, _ index: Int) -> Bool { name.bytes[index...].starts(with: text.utf8) }

    private static func cut(_ name: inout NameText, _ index: Int) -> Bool {
        name.keep(first: index)
        if !name.drop(suffix: "::"), index > 0 { _ = name.drop(suffix: " ") }
        return true
    }

    /// `operator<`, `operator->`, `operator()`: their signs are not brackets. The text after the
    /// last `operator` that is a word by itself is put aside.
    private static func protectOperators(_ name: inout NameText) -> String? {
        guard let at = name.last("operator") else { return nil }
        let before = at == 0 ? UInt8(ascii: ":") : name.bytes[at - 1]
        guard before == UInt8(ascii: ":") || before == UInt8(ascii: " ") || before == UInt8(ascii: "*") || before == UInt8(ascii: "&")
        else { return nil }
        let rest = NameText(name.bytes[(at + 8)...])
        var sign: String?
        for text in ["()", "[]", "<=>", "->*", "->", "<<=", ">>=", "<<", ">>", "<=", ">=", "<", ">", "new[]", "delete[]"]
        where rest.hasPrefix(text) || rest.hasPrefix(" " + text) {
            // `operator new[]` has a space, `operator<` does not.
            sign = (rest.hasPrefix(" ") ? " " : "") + text
            break
        }
        if sign == nil {
            // `operator+`, `operator bool`, `operator new`, `operator""_km`: up to the arguments.
            let end = rest.bytes.firstIndex(of: UInt8(ascii: "(")) ?? rest.count
            var text = NameText(rest.bytes[..<end])
            text.fold(UInt8(ascii: "<"), UInt8(ascii: ">"))
            sign = text.string
        }
        name.keep(first: at + 8)
        return sign
    }

    private static func restoreOperators(_ name: inout NameText, _ sign: String?) {
        guard let sign else { return }
        name.bytes += sign.utf8
    }

    /// Everything from the parenthesis on that ends the name's own part.
    private static func dropArguments(_ name: inout NameText) {
        // `f(int)::g(long)`: the arguments of what holds a local class are left out, too.
        name.fold(UInt8(ascii: "("), UInt8(ascii: ")"))
        if let open = name.first("("), open > 0 { name.keep(first: open) }
        for word in [" const", " volatile", " &&", " &", " noexcept"] { while name.drop(suffix: word) {} }
        while name.drop(suffix: " ") {}
    }

    /// Removes a template's return type: everything before the last space. (A name does not contain
    /// spaces, except for `operator new`, which is put aside.)
    private static func dropReturnType(_ name: inout NameText) {
        if let space = name.last(" ") { name.keep(from: space + 1) }
        while let first = name.bytes.first, first == UInt8(ascii: "*") || first == UInt8(ascii: "&") { name.keep(from: 1) }
    }
}
