/// Java and Kotlin: `com.mill.Sieve.lambda$sift$0` and `com.mill.Sieve$sift$1.invoke` are
/// `com.mill.Sieve.sift`; `com.mill.Sieve$$Lambda/0x00007f01.run` and what else machines make up
/// while a program runs has numbers of that run, which are left out.
enum JavaName {
    static func normalize(_ name: inout NameText) -> Bool {
        // Arguments, or a descriptor, which has slashes of its own: `([Ljava/lang/String;)V`.
        if let open = name.first("("), open > 0 { name.keep(first: open) }
        // `java.base@21/java.lang.Thread.run`, `app//com.mill.Sieve.sift`: loader and module.
        if let slash = name.first("/"), !name.contains("$$Lambda") {
            var end = slash
            while end + 1 < name.count, let next = name.first("/", from: end + 1) { end = next }
            name.keep(from: end + 1)
        } else if let slash = name.first("/"), let lambda = name.first("$$Lambda"), slash < lambda {
            name.keep(from: slash + 1)
        }
        for part in [
            "$$Lambda", "$$ExternalSyntheticLambda", "$$InternalSyntheticLambda", "$$FastClassBy", "$$EnhancerBy", "$$SpringCGLIB",
            "-$$Nest",
        ] {
            guard let found = name.first(part), found > 0 else { continue }
            name.keep(first: found)
            name.bytes += "$$Lambda".utf8
            return true
        }
        if let found = name.first(".lambda$"), found > 0 {
            let owner = name.bytes[..<found]
            var method = NameText(name.bytes[(found + 8)...])
            // `lambda$sift$0`, and `lambda$sift$4d3ae1b$1` of lambdas that can be serialised.
            if let end = method.first("$"), end > 0 { method.keep(first: end) }
            name.bytes = owner + Array(".".utf8) + method.bytes
            return true
        }
        if let dot = name.last("."), dot > 0 {
            // Kotlin's classes for lambdas: the enclosing function is between the dollars, and a
            // number ends them.
            var type = NameText(name.bytes[..<dot])
            let method = NameText(name.bytes[(dot + 1)...]).string
            if ["invoke", "invokeSuspend", "emit", "run", "apply", "call"].contains(method), type.drop(suffix: "$", andDigits: true),
                let owner = type.last("$"),
                owner > 0, owner + 1 < type.count, type.bytes[owner + 1] | 0x20 == type.bytes[owner + 1]
            {
                name.bytes = type.bytes[..<owner] + Array(".".utf8) + type.bytes[(owner + 1)...]
                return true
            }
            // `Sieve$1.run`: an anonymous class; `GeneratedMethodAccessor12.invoke`,
            // `$Proxy7.size`: made while the program runs.
            type = NameText(name.bytes[..<dot])
            type.dropDigitsAtEnd()
            if type.hasSuffix("$") || type.hasSuffix("Accessor") || type.hasSuffix("Proxy") { name.bytes = type.bytes + name.bytes[dot...] }
        }
        return false
    }
}
