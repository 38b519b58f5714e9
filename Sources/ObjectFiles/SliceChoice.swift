package import BinaryPrimitives

/// Which object of a file that may hold several (a universal file's slices, a dSYM bundle's
/// members) is wanted.
package enum SliceChoice: Sendable, Hashable {
    /// The one with this UUID or build ID.
    case identity(ImageID)
    /// The one of this architecture, else the one of the same family (`arm64` is content with
    /// `arm64e`).
    case architecture(Architecture)
    /// The only one there is.
    case only
}

extension SliceChoice {
    /// The one object that is meant.
    /// - Parameters:
    ///   - results: every object of the file or bundle, or why it could not be opened.
    ///   - path: for the message.
    /// - Throws: `ObjectFileError.noSuchSlice` if none or several fit; the message lists the slices
    ///   that exist. If nothing could be opened, the first reason.
    func choose(from results: [Result<ObjectFile, ObjectFileError>], path: String) throws(ObjectFileError) -> ObjectFile {
        let objects = results.compactMap { try? $0.get() }
        if objects.isEmpty, let first = results.first { return try first.get() }
        func refuse(_ problem: String) -> ObjectFileError {
            // A kernel cache has hundreds.
            let more = results.count > Self.maxListed ? ", and \(results.count - Self.maxListed) more" : ""
            let list = results.prefix(Self.maxListed).map(Self.summary).joined(separator: ", ") + more
            return ObjectFileError(.noSuchSlice, path: path, "\(problem); it holds \(list)")
        }
        func one(_ found: [ObjectFile], _ what: String) throws(ObjectFileError) -> ObjectFile {
            guard let first = found.first else { throw refuse("no object \(what)") }
            guard found.count == 1 else { throw refuse("\(found.count) objects \(what), expected one") }
            return first
        }
        switch self {
        case .identity(let identity):
            // Two copies of one identity are the same image.
            guard let found = objects.first(where: { $0.identity == identity }) else {
                throw refuse("no object with the UUID \(identity)")
            }
            return found
        case .architecture(let architecture):
            let exact = objects.filter { $0.architecture == architecture }
            let family = objects.filter { $0.architecture.family == architecture.family }
            return try one(exact.isEmpty ? family : exact, "for the architecture \(architecture)")
        case .only:
            // A damaged slice counts: it may have been the one that was meant.
            guard results.count == 1 else { throw refuse("\(results.count) objects, expected one") }
            return try one(objects, "that can be read")
        }
    }

    private static let maxListed = 16

    private static func summary(_ result: Result<ObjectFile, ObjectFileError>) -> String {
        switch result {
        case .success(let object):
            (object.description.entryName.map { "\($0) " } ?? "")
                + "\(object.architecture) \(object.identity?.description ?? "without an identity")"
        case .failure(let error): "one that cannot be read (\(error.problem))"
        }
    }
}
