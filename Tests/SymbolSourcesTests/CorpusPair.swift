import BinaryPrimitives
import TestSupport

/// An object of the corpus with the results that another program gave for some of its addresses.
struct CorpusPair {
    /// A function of a result; zero and the empty string mean what is not known, as in the tables.
    struct Frame: Hashable, CustomStringConvertible {
        var name: String
        var file: String
        var line: Int
        var column: Int

        var description: String { "\(name) \(file):\(line):\(column)" }
    }

    struct Question {
        /// The slice of a universal file; empty for other files.
        var slice: String
        var address: UInt64
        /// Innermost first.
        var expected: [Frame]
    }

    var id: String
    var object: String
    var questions: [Question]

    /// Every row of `TRIPLES.tsv` without a log: those are questions about addresses alone.
    static func all(in corpus: String) throws -> [CorpusPair] {
        try table(corpus + "/TRIPLES.tsv").filter { $0[1].isEmpty }.map { row in
            CorpusPair(id: row[0], object: corpus + "/" + row[2], questions: try questions(corpus + "/" + row[3]))
        }
    }

    /// One row is one function; rows with the same thread (the slice) and frame index are one
    /// address, innermost first.
    private static func questions(_ path: String) throws -> [Question] {
        var questions: [Question] = []
        var last = ""
        for row in try table(path) {
            let frame = Frame(name: row[9], file: row[4], line: Int(row[5]) ?? 0, column: Int(row[10]) ?? 0)
            let key = row[7] + " " + row[0]
            if key == last, !questions.isEmpty {
                questions[questions.count - 1].expected.append(frame)
                continue
            }
            last = key
            // `exact:0x1234`: these tables look up the address as it is.
            guard let address = row[8].split(separator: ":").last.flatMap({ UInt64($0.dropFirst(2), radix: 16) }) else { continue }
            questions.append(Question(slice: row[7], address: address, expected: [frame]))
        }
        return questions
    }

    /// The rows of a table after its first, in columns.
    static func table(_ path: String) throws -> [[String]] {
        let text = try MappedFile(path: path).withBytes { $0.string() }
        return text.split(separator: "\n").dropFirst().map { row in
            row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
