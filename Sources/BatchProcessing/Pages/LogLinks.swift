internal import BinaryPrimitives

/// Links from pages to logs, relative, so that the folders can be moved together.
struct LogLinks: Sendable {
    /// The report's folder, from the root.
    private let folder: [Substring]
    private let working: String

    /// - Parameter folder: where the report will be, which need not be there yet.
    init(folder: String) {
        working = Directory.working ?? "/"
        let path = Path.resolved(folder) ?? Path.join(Path.resolved(Path.directory(of: folder)) ?? working, Path.name(of: folder))
        self.folder = path.split(separator: "/")
    }

    /// A link for a page that is in a folder of the report.
    /// - Parameters:
    ///   - path: as the store has it: absolute, or from the folder that the program runs in.
    ///   - depth: how many folders of the report the page is in.
    /// - Returns: `nil` where there is no file (a log in an archive, one that is gone), and for
    ///   files that browsers would run.
    func link(to path: String, depth: Int) -> String? {
        guard !path.isEmpty, !Self.isActive(path), PathKind(path: path) == .file else { return nil }
        var whole = path.hasPrefix("/") ? path : Path.join(working, path)
        if whole.split(separator: "/").contains("..") { whole = Path.resolved(whole) ?? whole }
        return Self.relative(to: whole, from: folder, depth: depth)
    }

    static func relative(to path: String, from folder: [Substring], depth: Int) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }
        var common = 0
        while common < parts.count - 1, common < folder.count, parts[common] == folder[common] { common += 1 }
        let up = Array(repeating: "..", count: folder.count - common + depth)
        // `./` keeps a name like `javascript:x` from being taken for another scheme.
        return ((up.isEmpty ? ["."] : up) + parts[common...].map { encoded($0) }).joined(separator: "/")
    }

    /// RFC 3986, section 2.1: everything but unreserved characters.
    static func encoded(_ text: some StringProtocol) -> String {
        let digits = Array("0123456789ABCDEF")
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result.append("%")
                result.append(digits[Int(byte >> 4)])
                result.append(digits[Int(byte & 15)])
            }
        }
        return result
    }

    /// What browsers show by its name as a document that may hold programs. A log from nobody knows
    /// where is not opened as one.
    static func isActive(_ path: String) -> Bool {
        let name = Path.name(of: path).lowercased()
        guard let dot = name.lastIndex(of: ".") else { return false }
        return ["htm", "html", "mht", "mhtml", "pdf", "shtml", "svg", "svgz", "xht", "xhtml", "xml", "xsl", "xslt"].contains(
            name[name.index(after: dot)...])
    }
}
