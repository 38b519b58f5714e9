internal import BinaryPrimitives

/// Names of output files of logs, in one folder: the log's own name with another ending, numbered
/// if several logs have one name.
struct FreeNames {
    private var used: Set<String> = []

    /// - Parameter ending: after the log's own name.
    mutating func free(for log: String, ending: String = "") -> String {
        let stem = log == "-" ? "standard-input" : Path.name(of: log)
        let dot = stem.utf8.lastIndex(of: UInt8(ascii: ".")) ?? stem.endIndex
        var name = stem + ending
        var number = 2
        while !used.insert(name).inserted {
            name = "\(stem[..<dot])-\(number)\(stem[dot...])\(ending)"
            number += 1
        }
        return name
    }
}
