/// Inlined calls in stacks whose rows do not say so: rows of one address, innermost first, of which the last is the function that holds the code.
enum InlinedRows {
    /// Marks them in a stack whose frames all come from rows.
    ///
    /// A function that calls itself has rows of one address as well: its calls begin again with the name that the run began with.
    ///
    ///     0x4025f9, App.parameter(_:)       inlined
    ///     0x4025f9, App.respond(to:)        holds the code
    ///     0x402711, App.descend(_:)         each holds the code
    ///     0x402711, App.descend(_:)
    static func mark(_ frames: inout [Frame]) {
        var first = 0
        for index in frames.indices {
            if frames[index].address != frames[first].address { first = index }
            guard index + 1 < frames.count, let name = frames[index].printed?.name, let next = frames[index + 1].printed?.name,
                frames[index].address != nil, frames[index + 1].address == frames[index].address, frames[first].printed?.name != next
            else { continue }
            frames[index].isInlined = !name.isEmpty
        }
    }
}
