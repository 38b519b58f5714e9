internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles
package import Symbolication

/// Writes an explanation for programs: one JSON object for each trace, a line each. An absent key means
/// unknown, or none.
package struct ExplanationJSON {
    /// The version of the schema: it grows within a version, and changes only with it.
    package static let schema = 2

    package init() {}

    /// - Parameter path: the log's name.
    package func render(_ explanation: Explanation, path: String) -> [UInt8] {
        var output: [UInt8] = []
        WrittenJSON.object([
            ("schema", .number(Self.schema)),
            ("log", .string(path)),
            ("format", .string(explanation.report.format)),
            ("frames", .number(explanation.frames)),
            ("unresolved", .number(explanation.unresolved)),
            ("images", .array(explanation.images.map(image))),
            ("withoutImage", list(explanation.reasonsWithoutImage.map(reason))),
            ("notes", list(explanation.notes.map(WrittenJSON.string))),
        ]).write(to: &output)
        output.append(UInt8(ascii: "\n"))
        return output
    }

    private func list(_ values: [WrittenJSON]) -> WrittenJSON? { values.isEmpty ? nil : .array(values) }

    private func image(_ image: Explanation.Image) -> WrittenJSON {
        let wanted = image.outcome.image
        return .object([
            ("name", .string(wanted.name)),
            ("path", wanted.path.map(WrittenJSON.string)),
            ("architecture", wanted.architecture.map { .string($0.name) }),
            ("id", wanted.id.map { .string($0.description) }),
            ("base", wanted.base.map { .string($0.description) }),
            ("status", .string(image.outcome.status.rawValue)),
            ("frames", .number(image.frames)),
            ("resolved", .number(image.resolved)),
            ("withoutLine", .number(image.withoutLine)),
            ("missing", .number(image.missing)),
            ("files", list(image.outcome.files.map(file))),
            ("places", list(image.trail.locations.map(searched))),
            ("reasons", list(image.reasons.map(reason))),
            ("remedies", list(image.remedies.map { .string($0.sentence) })),
        ])
    }

    private func file(_ file: ImageSymbols.File) -> WrittenJSON {
        .object([
            ("path", .string(file.candidate.path)), ("origin", .string(file.candidate.origin.description)),
            ("proof", .string(name(file.proof))),
        ])
    }

    private func searched(_ location: SearchTrail.Location) -> WrittenJSON {
        .object([
            ("place", .string(location.name)),
            ("expected", list(location.expected.map(WrittenJSON.string))),
            ("files", list(location.files.map(verdict))),
            ("remarks", list(location.remarks.map(WrittenJSON.string))),
        ])
    }

    private func verdict(_ file: SearchTrail.File) -> WrittenJSON {
        switch file.verdict {
        case .fits(let proof, let hasDebugInformation):
            .object([
                ("path", .string(file.path)), ("fits", .string(name(proof))), ("debugInformation", .boolean(hasDebugInformation)),
            ])
        case .refused(let reason):
            .object([("path", .string(file.path)), ("refused", .string(SymbolFileRefusal(path: file.path, reason: reason).description))])
        }
    }

    private func reason(_ reason: Explanation.Reason) -> WrittenJSON {
        .object([
            ("reason", .string(reason.sentence)), ("frames", .number(reason.frames)), ("remedy", reason.remedy.map(WrittenJSON.string)),
        ])
    }

    private func name(_ proof: AcceptedSymbolFile.Proof) -> String {
        switch proof {
        case .identity: "identity"
        case .name: "name"
        case .path: "path"
        case .memory: "memory"
        case .forced: "forced"
        }
    }
}
