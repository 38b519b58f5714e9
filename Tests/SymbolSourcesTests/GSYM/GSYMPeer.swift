import BinaryPrimitives
import ObjectFiles
import SymbolSources
import TestSupport

/// LLVM's writer and reader of GSYM, the peer of ours.
struct GSYMPeer {
    static let path = "/usr/bin/llvm-gsymutil-19"

    static var isInstalled: Bool { TestPaths.isReadable(path) }

    /// One function of a result, as both sides say it. Columns are not in the format.
    struct Frame: Hashable, CustomStringConvertible {
        var name: String
        /// From the entry of the function that holds the code; `nil` for inlined calls.
        var offset: UInt64?
        var file = ""
        var line = 0

        var description: String { "\(name) \(offset.map { "+\($0)" } ?? "inlined") \(file):\(line)" }
    }

    /// Makes a GSYM file of an object's DWARF and symbols.
    static func convert(_ object: String, architecture: String?, to path: String) throws {
        let arguments = ["--convert=" + object, "--out-file=" + path, "--num-threads=1", "--quiet"]
        try run(Self.path, arguments + (architecture.map { ["--arch=" + $0] } ?? [])).requireSuccess()
    }

    /// Frames that `--address` prints, innermost first; empty where it has no result.
    static func results(_ gsym: String, at addresses: [UInt64]) throws -> [[Frame]] {
        let input = addresses.map { "0x\(String($0, radix: 16)) \(gsym)\n" }.joined()
        let result = try run(path, ["--addresses-from-stdin"], input: Array(input.utf8))
        var found: [[Frame]] = []
        for line in result.lines where !line.isEmpty {
            if line.hasPrefix("0x") { found.append([]) }
            let text = line.dropFirst("0x0000000000000000: ".count)
            if text.hasPrefix("error: ") { continue }
            found[found.count - 1].append(frame(text))
        }
        guard found.count == addresses.count else {
            throw PeerFailure(description: "\(found.count) answers for \(addresses.count) addresses: \(result.errors)")
        }
        return found
    }

    /// `name + 3 @ /src/main.cpp:52`, followed by ` [inlined]`.
    private static func frame(_ line: Substring) -> Frame {
        let isInlined = line.hasSuffix(" [inlined]")
        var text = isInlined ? line.dropLast(" [inlined]".count) : line
        var frame = Frame(name: "", offset: isInlined ? nil : 0)
        if let at = text.lastRange(of: " @ ") {
            let location = text[at.upperBound...]
            if let colon = location.lastIndex(of: ":"), let line = Int(location[location.index(after: colon)...]) {
                // The peer joins folder and name by a slash even where the folder is `/`.
                let file = location[..<colon].hasPrefix("//") ? location[..<colon].dropFirst() : location[..<colon]
                (frame.file, frame.line) = (String(file), line)
            }
            text = text[..<at.lowerBound]
        }
        if let plus = text.lastRange(of: " + "), let offset = UInt64(text[plus.upperBound...]) {
            if !isInlined { frame.offset = offset }
            text = text[..<plus.lowerBound]
        }
        frame.name = String(text)
        return frame
    }

    /// The functions of a GSYM file as the peer lists them: `FunctionInfo @ 0x000004c4:
    /// [0x0000000000001120 - 0x0000000000001263) "main"`.
    static func functions(of gsym: String) throws -> [(range: Range<UInt64>, name: String)] {
        try run(path, [gsym]).lines.compactMap { line in
            guard line.hasPrefix("FunctionInfo @ "), let open = line.firstIndex(of: "["), let close = line.firstIndex(of: ")") else {
                return nil
            }
            let ends = line[line.index(after: open)..<close].split(separator: " ").compactMap { UInt64($0.dropFirst(2), radix: 16) }
            guard ends.count == 2, ends[0] <= ends[1] else { return nil }
            return (ends[0]..<ends[1], String(line[line.index(after: close)...].dropFirst(2).dropLast()))
        }
    }

    /// This machine's C library's debug file, where it is installed: 3,700 functions, 600 of them
    /// assembly.
    static let system: String? = {
        for path in ["/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6"] {
            guard let id = (try? ObjectFiles.open(path: path))?.identity?.hexadecimal else { continue }
            let debug = "/usr/lib/debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
            if TestPaths.isReadable(debug) { return debug }
        }
        return nil
    }()

    /// Our result in the peer's words.
    static func frames(_ symbolResult: SymbolResult, at offset: ImageOffset) -> [Frame] {
        guard case .found(let frames) = symbolResult else { return [] }
        return frames.map { frame in
            Frame(
                name: frame.name, offset: frame.isInlined ? nil : frame.entry.map { offset.value &- $0.value },
                file: frame.location?.file ?? "", line: frame.location?.line ?? 0)
        }
    }
}

struct PeerFailure: Error, CustomStringConvertible {
    var description: String
}

extension Substring {
    fileprivate func lastRange(of text: String) -> Range<Index>? {
        var position = endIndex
        while position > startIndex {
            position = index(before: position)
            if self[position...].hasPrefix(text) { return position..<index(position, offsetBy: text.count) }
        }
        return nil
    }
}
