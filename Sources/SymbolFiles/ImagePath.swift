internal import BinaryPrimitives

/// The image itself, where the log says it was: the log of a program that crashed on this very
/// machine. Its dSYM bundle beside it, too.
package struct ImagePath: FixedLayoutLocator {
    /// Programs that ran: the file of an image that is called like one of them.
    private let programs: [String]

    /// - Parameter programs: paths of programs whose crash may be in the logs: `cairn ci`'s own
    ///   command.
    package init(programs: [String] = []) { self.programs = programs }

    package var location: String { "the image's path on this machine" }
    var origin: SymbolFileCandidate.Origin { .imagePath }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        paths(request).flatMap { DSYMBundle.membersBeside($0) + [$0] }
    }

    private func paths(_ request: ImageRequest) -> [String] {
        let programs = programs.filter { Path.name(of: $0) == request.name }
        // Files that the kernel generates are not program files.
        if let path = request.path, path.hasPrefix("/") {
            return ["/proc/", "/sys/", "/dev/"].contains(where: path.hasPrefix) ? [] : [path]
        }
        return programs + request.ownPaths
    }
}

extension ImageRequest {
    /// Possible paths of the image itself on this machine: a relative one counts from the working
    /// folder of the process, which the log does not give.
    package var ownPaths: [String] {
        guard let path, path.utf8.contains(UInt8(ascii: "/")) else { return [] }
        guard !path.hasPrefix("/") else { return [path] }
        let own = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return folders.map { Path.join($0, own) }
    }
}
