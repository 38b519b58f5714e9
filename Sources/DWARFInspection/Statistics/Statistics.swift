/// The counts of `--statistics`, as version 9 of llvm-dwarfdump's.
final class Statistics {
    /// Number of bytes of scopes, and of those that locations cover.
    struct Bytes {
        var inScope = SaturatingSum()
        var covered = SaturatingSum()
        /// By locations with `DW_OP_entry_value`.
        var byEntryValues = SaturatingSum()
    }

    /// Counts of parameters or of local variables.
    struct Variables {
        var count: UInt64 = 0
        var withSourceLocation: UInt64 = 0
        var withType: UInt64 = 0
        var withLocation: UInt64 = 0
    }

    /// How many variables were looked at, and what their locations cover, with and without entry
    /// values.
    struct Locations {
        var processed: UInt64 = 0
        var all = Coverage()
        var withoutEntryValues = Coverage()

        mutating func addUncovered(_ count: UInt64) {
            processed &+= count
            all.addUncovered(count)
        }
    }

    let functions = FunctionTable()
    var inlined: UInt64 = 0
    var inlinedWithOrigin: UInt64 = 0
    var variablesWithLocation: UInt64 = 0
    /// Outside of functions, where instances do not multiply them.
    var outsideVariables: UInt64 = 0
    var callSiteEntries = SaturatingSum()
    var callSites = SaturatingSum()
    var callSiteParameters = SaturatingSum()
    /// In scopes or outside of them.
    var coveredAnywhere = SaturatingSum()
    var bytes = Bytes()
    var parameterBytes = Bytes()
    var localBytes = Bytes()
    var functionBytes = SaturatingSum()
    var inlinedBytes = SaturatingSum()
    var parameters = Variables()
    var locals = Variables()
    var locations = Locations()
    var parameterLocations = Locations()
    var localLocations = Locations()
    var lines = LineStatistics()

    /// Variables of an inlined function that have no location in an instance.
    func addUncovered(_ missing: AbstractVariables.Missing) {
        locations.addUncovered(missing.parameters &+ missing.locals)
        parameterLocations.addUncovered(missing.parameters)
        localLocations.addUncovered(missing.locals)
    }
}

/// Variables by how much of their scope their locations cover: none of it, more than that and less
/// than a tenth, …, all of it.
struct Coverage {
    private(set) var counts = [UInt64](repeating: 0, count: 12)

    /// - Parameters:
    ///   - covered: bytes of the scope.
    ///   - scope: its bytes.
    mutating func add(covered: UInt64, of scope: UInt64) {
        if covered == 0 { return counts[0] += 1 }
        if covered >= scope { return counts[counts.count - 1] += 1 }
        // In floating point, as LLVM does.
        counts[Int(100 * Double(covered) / Double(scope)) / 10 + 1] += 1
    }

    mutating func addUncovered(_ count: UInt64) { counts[0] &+= count }
}

/// A sum that stays at its most.
struct SaturatingSum {
    private(set) var value: UInt64 = 0

    static func += (sum: inout SaturatingSum, addend: UInt64) {
        // The maximum means a sum that is too large, also where it is reached exactly.
        sum.value = sum.value != .max && sum.value < .max - addend ? sum.value + addend : .max
    }
}
