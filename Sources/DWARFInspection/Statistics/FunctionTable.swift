/// Functions by name and declaration, and the number of variables' names that each has: across units, so that a function that many units
/// have is one.
///
/// Only hashes of 64 bits are kept of the names: two of a million functions and variables have the same one once in 37 million runs.
final class FunctionTable {
    struct Function {
        /// Instances, inlined or not.
        var instances: UInt64 = 0
        var hasSourceLocation = false
        /// Variables and parameters with different names.
        var variables: UInt64 = 0
    }

    /// The first stands for everything outside of functions.
    private(set) var functions = [Function()]
    private var indexes: [UInt64: Int] = [:]
    private var variables = NumberSet()

    static let outside = 0

    /// The function of that name and position: `name:file:line`.
    func index(of identity: [UInt8]) -> Int {
        var hasher = Hasher()
        unsafe identity.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        let key = UInt64(bitPattern: Int64(hasher.finalize()))
        if let index = indexes[key] { return index }
        functions.append(Function())
        indexes[key] = functions.count - 1
        return functions.count - 1
    }

    func addInstance(of index: Int, hasSourceLocation: Bool) {
        functions[index].instances += 1
        if hasSourceLocation { functions[index].hasSourceLocation = true }
    }

    /// Notes a variable of a function by its scope and name.
    func addVariable(_ identity: [UInt8], to index: Int) {
        var hasher = Hasher()
        hasher.combine(index)
        unsafe identity.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        if variables.insert(UInt64(bitPattern: Int64(hasher.finalize()))) { functions[index].variables += 1 }
    }
}
