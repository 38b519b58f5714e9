internal import BinaryPrimitives
internal import Reporting

/// A signature as stores keep it: the values that are shown, and the input of `CrashGroups` as one
/// text.
package struct StoredSignature: Sendable, Hashable {
    /// `crash`, `hang`, `leak`, `race`, `resource`, `profile`, or `exception` and its type.
    package var family: String
    /// `SIGSEGV`.
    package var kindLabel: String
    package var title: String
    /// The hashes of two levels.
    package var exact: String
    package var ownCode: String
    package var lacksSymbols: Bool
    /// Why there is no stack to be known by; `nil` where there is one.
    package var absence: String?
    /// The first line has the offsets of the innermost frames, the second their build. Then there
    /// is a line for each frame, innermost first. Its fields are separated by tabs: `FrameMarks`,
    /// the log's row, language, module, build, offset, closure, name, parameters. For a signature without a
    /// stack it is the text that `exact` is the hash of.
    package var frames: String

    package init(_ signature: CrashSignature) {
        family = signature.kind.familyKey
        kindLabel = signature.kind.label
        title = signature.title
        exact = signature.exact.hash
        ownCode = signature.ownCode.hash
        lacksSymbols = signature.lacksSymbols
        absence = signature.absence?.rawValue
        guard absence == nil else {
            frames = signature.exact.text
            return
        }
        var lines = [Self.escaped(signature.offsets.inner), Self.escaped(signature.offsets.build)]
        for frame in signature.frames {
            let fields = [
                FrameMarks(frame).text, String(frame.row), frame.language.rawValue, frame.module, frame.build?.hexadecimal ?? "",
                frame.offset.map { String($0.value, radix: 16) } ?? "", frame.closure, frame.name, frame.parameters,
            ]
            lines.append(fields.map(Self.escaped).joined(separator: "\t"))
        }
        frames = lines.joined(separator: "\n")
    }

    init(
        family: String, kindLabel: String, title: String, exact: String, ownCode: String, lacksSymbols: Bool, absence: String?,
        frames: String
    ) {
        self.family = family
        self.kindLabel = kindLabel
        self.title = title
        self.exact = exact
        self.ownCode = ownCode
        self.lacksSymbols = lacksSymbols
        self.absence = absence
        self.frames = frames
    }

    /// The input of `CrashGroups`; `nil` if a field is not one that this cairn writes. The keys
    /// have their hashes alone, because groups compare frames.
    package var signature: CrashSignature? {
        let kind = CrashKind(family: CrashKind.Family(key: family), label: kindLabel)
        let exactKey = CrashSignature.Key(text: absence == nil ? "" : frames, hash: exact)
        let ownKey = CrashSignature.Key(text: "", hash: ownCode)
        if let absence {
            guard let reason = CrashSignature.Absence(rawValue: absence) else { return nil }
            return CrashSignature(
                kind: kind, title: title, exact: exactKey, ownCode: ownKey, frames: [], offsets: ("", ""), lacksSymbols: lacksSymbols,
                absence: reason)
        }
        // By bytes: a carriage return in a name would make one character with the line's end.
        let lines = frames.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count >= 2 else { return nil }
        var decoded: [SignatureFrame] = []
        for line in lines.dropFirst(2) {
            guard let frame = Self.frame(line) else { return nil }
            decoded.append(frame)
        }
        return CrashSignature(
            kind: kind, title: title, exact: exactKey, ownCode: ownKey, frames: decoded,
            offsets: (Self.plain(lines[0]), Self.plain(lines[1])), lacksSymbols: lacksSymbols, absence: nil)
    }

    private static func frame(_ line: Substring.UTF8View) -> SignatureFrame? {
        let fields = line.split(separator: 9, omittingEmptySubsequences: false).map(plain)
        // Before there were parameters, the name was the last.
        guard fields.count == 8 || fields.count == 9, let marks = FrameMarks(fields[0]), let row = Int(fields[1]),
            let language = NameLanguage(rawValue: fields[2])
        else { return nil }
        let offset = UInt64(fields[5], radix: 16)
        guard offset != nil || fields[5].isEmpty else { return nil }
        return SignatureFrame(
            name: fields[7], language: language, module: fields[3], build: ImageID(text: fields[4]), offset: offset.map { ImageOffset($0) },
            row: row, isInlined: marks.isInlined, showsInlinedCalls: marks.showsInlinedCalls, isClosure: marks.isClosure,
            closure: fields[6], parameters: fields.count == 9 ? fields[8] : "",
            isHidden: marks.isHidden, isOwn: marks.isOwn, isPrefix: marks.isPrefix)
    }

    // MARK: Text

    /// Names come from logs, and may hold anything.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 0x5C }) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 9: bytes += Array("\\t".utf8)
            case 10: bytes += Array("\\n".utf8)
            case 0x5C: bytes += [0x5C, 0x5C]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func plain(_ text: Substring.UTF8View) -> String {
        guard text.contains(0x5C) else { return String(Substring(text)) }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text {
            if isEscaped {
                bytes.append(byte == UInt8(ascii: "t") ? 9 : byte == UInt8(ascii: "n") ? 10 : byte)
                isEscaped = false
            } else if byte == 0x5C {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Properties of a frame, one letter each: `i` inlined, `s` shows inlined calls, `c` closure, `h`
/// hidden, `o` own, `p` prefix.
private struct FrameMarks {
    var isInlined = false
    var showsInlinedCalls = false
    var isClosure = false
    var isHidden = false
    var isOwn = false
    var isPrefix = false

    init(_ frame: SignatureFrame) {
        isInlined = frame.isInlined
        showsInlinedCalls = frame.showsInlinedCalls
        isClosure = frame.isClosure
        isHidden = frame.isHidden
        isOwn = frame.isOwn
        isPrefix = frame.isPrefix
    }

    var text: String {
        (isInlined ? "i" : "") + (showsInlinedCalls ? "s" : "") + (isClosure ? "c" : "") + (isHidden ? "h" : "") + (isOwn ? "o" : "")
            + (isPrefix ? "p" : "")
    }

    init?(_ text: String) {
        for letter in text.utf8 {
            switch letter {
            case UInt8(ascii: "i"): isInlined = true
            case UInt8(ascii: "s"): showsInlinedCalls = true
            case UInt8(ascii: "c"): isClosure = true
            case UInt8(ascii: "h"): isHidden = true
            case UInt8(ascii: "o"): isOwn = true
            case UInt8(ascii: "p"): isPrefix = true
            default: return nil
            }
        }
    }
}
