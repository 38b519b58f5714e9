internal import BinaryPrimitives

/// Results that are read by a link, each a page in a file that is named by chance. They end when
/// the file is a week old.
struct SharedResults {
    static let days = 7
    private static let lifetime = Int64(days) * 86_400 * 1_000_000_000

    let folder: String
    let limits: Limits

    /// Names are 32 letters of base64url (RFC 4648, section 5), 192 bits: they cannot be guessed.
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    private static let length = 32
    private static let ending = ".html"

    static func makeName() -> String {
        // The system's generator for secrets: getrandom(2), arc4random(3).
        var numbers = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &numbers)] })
    }

    private static func isName(_ text: some StringProtocol) -> Bool {
        text.utf8.count == length
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private func path(_ name: some StringProtocol) -> String { Path.join(folder, name + Self.ending) }

    /// When a result that is shared now ends, nanoseconds since 1970.
    static func end(after instant: Int64) -> Int64 { instant + lifetime }

    /// Keeps a page.
    func keep(_ page: [UInt8], as name: String) throws(Refusal) {
        sweep()
        do throws(FileError) {
            try FileReplacement.makeDirectories(folder)
            guard results().count < limits.sharedResults else { throw FileError.tooLarge(folder) }
            try FileReplacement.write(page, to: path(name))
        } catch {
            if error == .tooLarge(folder) {
                throw Refusal(
                    "\(limits.sharedResults) results are shared already: please try again tomorrow, or without sharing", status: 507)
            }
            throw error.isDiskFull ? Refusal("the server’s disk is full: the result was not shared", status: 507) : Refusal(about: error)
        }
    }

    /// - Returns: `nil` for a text that is not such a name, and for a result that has ended.
    func open(_ name: some StringProtocol) -> MappedFile? {
        guard Self.isName(name), let stamp = FileStamp(path: path(name)), !isOver(stamp) else { return nil }
        return try? MappedFile(path: path(name))
    }

    private func isOver(_ stamp: FileStamp) -> Bool { Self.end(after: stamp.modified) <= WallClock.nanoseconds }

    private func results() -> [String] {
        Directory.entries(in: folder, limit: 1_000_000).lazy.map(\.name).filter { name in
            name.hasSuffix(Self.ending) && Self.isName(name.dropLast(Self.ending.utf8.count))
        }
    }

    /// Removes the results that have ended, and what killed processes have left.
    func sweep() {
        FileReplacement.removeAbandoned(in: folder)
        for name in results() {
            let path = Path.join(folder, name)
            if let stamp = FileStamp(path: path), isOver(stamp) { FileUse.remove(path) }
        }
    }
}
