internal import BinaryPrimitives
package import CrashLogModel

extension AppleIPS {
    /// Apple's own keys are set in the frame's object: `symbol`, `symbolLocation`, `sourceFile`
    /// (without folders) and `sourceLine`. Inlined calls become objects of their own in front of
    /// it, with the same `imageOffset` and `imageIndex` and `"inline":true`, as ReportCrash writes
    /// them where it knows. Blanks, line breaks and the order of what is there stay as they are.
    ///
    /// A frame that is a pair, `[imageIndex, imageOffset]` (the beta of 2021, stackshots), has no
    /// room for a name. A resolved one becomes an object of today's form.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        switch log.at(frame.place.lowerBound) {
        case UInt8(ascii: "{"): break
        case UInt8(ascii: "["): return editPair(of: frame, with: answer, in: log)
        default: return editQuotedRow(of: frame, with: answer, in: log)
        }
        return JSONFrame.edit(at: frame.place, of: log, functions: answer.functions) { function, edit in
            edit.set("symbol", to: JSONString.quoted(function.name))
            edit.set("symbolLocation", to: function.offset.map { "\($0)" })
            if let location = function.location {
                edit.set("sourceFile", to: JSONString.quoted(Path.foreignName(of: location.file)))
                if location.line > 0 { edit.set("sourceLine", to: "\(location.line)") }
            }
            if function.isInlined { edit.set("inline", to: "true") }
        }
    }

    private static func editPair(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let pair = try? JSONParser().parse(log.upTo(frame.place.upperBound), from: frame.place.lowerBound), pair.elements.count >= 2,
            let image = pair.elements[0].int, let offset = pair.elements[1].unsigned
        else { return nil }
        var objects: [String] = []
        for function in answer.functions {
            var members = ["\"imageIndex\":\(image)", "\"imageOffset\":\(offset)", "\"symbol\":" + JSONString.quoted(function.name)]
            if let offset = function.offset { members.append("\"symbolLocation\":\(offset)") }
            if let location = function.location {
                members.append("\"sourceFile\":" + JSONString.quoted(Path.foreignName(of: location.file)))
                if location.line > 0 { members.append("\"sourceLine\":\(location.line)") }
            }
            if function.isInlined { members.append("\"inline\":true") }
            objects.append("{" + members.joined(separator: ",") + "}")
        }
        return TextEdit(range: pair.range, replacement: Array(objects.joined(separator: ",").utf8))
    }

    /// A row of text inside a string (`asiBacktraces`) is symbolicated as in a text report, its
    /// line ends and quotes being escapes.
    private static func editQuotedRow(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleRow(quotedRow(frame.place, in: log).span) else { return AppleIPSPanic.edit(of: frame, with: answer, in: log) }
        let start = frame.place.lowerBound + row.addressEnd
        let head = log.clamped(to: frame.place.lowerBound..<start).copied()
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.enumerated() {
            if index > 0 { replacement += Array("\\n".utf8) + head }
            replacement += Array(" ".utf8) + Array(JSONString.quoted(SymbolText.text(for: function)).utf8.dropFirst().dropLast())
        }
        return TextEdit(range: start..<frame.place.upperBound, replacement: replacement)
    }
}
