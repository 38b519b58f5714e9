/// A language whose names look like those of C: the ending of the source file says that it is one.
package enum FileLanguage: Sendable, Hashable {
    case ada
    case nim

    /// - Parameter file: the path of a source file, as the compiler wrote it.
    package init?(of file: String) {
        if file.hasSuffix(".adb") || file.hasSuffix(".ads") {
            self = .ada
        } else if file.hasSuffix(".nim") {
            self = .nim
        } else {
            return nil
        }
    }

    var scheme: ManglingScheme {
        switch self {
        case .ada: .ada
        case .nim: .nim
        }
    }

    /// A name as the language's own tools show it; as it is where it is not one of the language.
    func read(_ name: String) -> DemangledName {
        let bytes = Array(name.utf8)[...]
        let text =
            switch self {
            case .ada: AdaName.text(bytes)
            case .nim: NimName.text(bytes)
            }
        return DemangledName(text: text ?? name, scheme: text == nil ? .plain : scheme, staysMangled: false)
    }
}
