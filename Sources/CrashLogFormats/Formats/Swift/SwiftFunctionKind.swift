internal import BinaryPrimitives
internal import CrashLogModel

/// Marks that the backtracer prints for a function beside its name: `[thunk]`, `[system]`.
enum SwiftFunctionKind {
    /// The compiler put the function between a caller and a function of the program: to adapt it to
    /// another calling convention, to bind arguments.
    ///
    /// Recognised by the mangled name's last letters, those of an async function's parts left out:
    /// `isThunkSymbol` of Swift's demangling library.
    ///
    ///     $s4Quay4hook…FTo      @objc hook(load:context:)
    ///     $s3App3runyyYaFTATQ0_ the first part of a partial application forwarder
    static func isThunk(_ mangledName: String) -> Bool {
        guard mangledName.hasPrefix("$s") || mangledName.hasPrefix("_$s") || mangledName.hasPrefix("$e") || mangledName.hasPrefix("$S")
        else { return false }
        let name = withoutAsyncPart(mangledName)
        return thunks.contains { name.hasSuffix($0) }
    }

    /// Whether the function is compiler-generated code, or starts a program's `main`: the compiler
    /// gives it no line or marks it as generated (`isSystemFunction` of the Runtime module). Thunks
    /// are not included.
    static func isSystem(_ function: FrameResult.Function) -> Bool {
        if starters.contains(where: { function.mangledName.hasSuffix($0) }) { return true }
        guard let location = function.location, !isThunk(function.mangledName) else { return false }
        return location.file.hasSuffix("<compiler-generated>") || (location.line == 0 && location.column == 0)
    }

    /// Partial application forwarders (Swift's, Objective-C's), thunks to and from Objective-C,
    /// reabstraction thunks, protocol witnesses, allocating initializers.
    private static let thunks = ["TA", "Ta", "To", "TO", "TR", "Tr", "TW", "fC"]
    /// Suffixes of the functions that `@main` generates for a type's `main()`, plain and async.
    private static let starters = ["5$mainyyFZ", "5$mainyyYaFZTQ0_", "async_MainTQ0_"]

    /// Removes `TQ0_`, `TY1_`, the suffixes of the parts of an async function that run after it
    /// waited.
    private static func withoutAsyncPart(_ name: String) -> Substring {
        guard name.utf8.last == UInt8(ascii: "_") else { return name[...] }
        var stem = name.dropLast()
        while let last = stem.utf8.last, last &- UInt8(ascii: "0") < 10 { stem = stem.dropLast() }
        return stem.hasSuffix("TQ") || stem.hasSuffix("TY") ? stem.dropLast(2) : name[...]
    }
}
