/// Why something cannot be dumped.
struct DumpError: Error {
    /// A sentence about it.
    var problem: String

    init(_ problem: String) { self.problem = problem }
}
