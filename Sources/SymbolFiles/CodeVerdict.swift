/// Whether the code of files that only their name or path ties to an image fits what a report says
/// about that image.
package enum CodeVerdict: Sendable, Hashable {
    /// It fits: so many of the report's addresses are where the code says that they can be.
    case fits(addresses: Int)
    /// The files have no code that could be compared, or the report has no address for it.
    case unknown
    /// It does not fit, or the path may hold another file by now.
    case refused(SymbolFileRefusal.Reason)

    /// Compares files of one image with a report.
    package typealias Judge = (_ files: [AcceptedSymbolFile]) -> CodeVerdict
}
