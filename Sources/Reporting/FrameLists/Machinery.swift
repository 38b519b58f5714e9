/// Functions of a stack that raised or reported an error, or ran after it: the C library's `abort`, a panic's functions, a
/// signal's handler. No title and no sentence names them as the location of a crash.
package struct Machinery: Sendable {
    /// A function as the frame lists know it.
    package struct Function {
        var name: String
        var file: String?
        var module: String

        /// - Parameters:
        ///   - name: as it is shown; empty if it is not known.
        ///   - file: the source file, where known.
        ///   - module: the image's file name, or an empty text.
        package init(_ name: String, file: String?, module: String) { (self.name, self.file, self.module) = (name, file, module) }
    }

    /// Index of the function at which the stack of the event itself begins.
    package let beginning: Int
    private let roles: [FrameLists.Roles]

    /// - Parameters:
    ///   - functions: innermost first.
    ///   - format: the log's format, which may show the language.
    package init(_ functions: [Function], format: String) {
        roles = functions.map { function in
            if function.name.isEmpty { return FrameLists.Roles() }
            let name = NormalizedName(function.name, file: function.file, format: format)
            return name.isHidden ? FrameLists.Roles() : FrameLists.standard.roles(of: name, module: function.module, format: format)
        }
        beginning = FrameLists.beginning(of: roles)
    }

    /// Whether a function raises or reports errors, or is a language's or a system's own.
    func isForeign(_ index: Int) -> Bool { roles[index].isMachinery || roles[index].isLibrary }

    /// Whether a function is before the beginning, or only raises or reports.
    package func contains(_ index: Int) -> Bool { index < beginning || roles[index].isMachinery }
}
