internal import ArgumentParser
internal import BinaryPrimitives
internal import Console
internal import ObjectFiles
internal import SecondOpinion
internal import SymbolFiles

/// `cairn verify FILE [ADDR…]`: looks up the same addresses with cairn's own reader and with
/// libdwarf.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Cross-check cairn against libdwarf and print every difference.",
        usage: "cairn verify FILE [ADDRESS...] [options]",
        discussion: """
            Without addresses, it compares every function start and a sample of addresses in the code. Of a stripped file, the debug file that cairn finds
            for it is compared; of split debug information, the .dwo and .dwp files; of a file that dwz has compressed, its supplementary file.

            Exit status: 0 if they agree, 1 if they differ or could not be compared. When a limit is reached, the results so far are printed, and the
            status is 1.
            """)

    @Argument(help: "An object file with debug information, or a dSYM bundle.")
    var file: String

    @Argument(help: "Addresses as the file has them, in hexadecimal.", transform: Verify.address)
    var addresses: [LinkAddress] = []

    @Option(help: ArgumentHelp("Number of random addresses to compare, besides the function starts.", valueName: "count"))
    var sample = 1000

    @Option(help: ArgumentHelp("Seed of the random addresses.", valueName: "number"))
    var seed: UInt64 = 1

    @OptionGroup
    var allowance: Allowance

    @Option(help: "Slice of a universal file (default: all).")
    var arch: String?

    func validate() throws {
        guard (0...10_000_000).contains(sample) else { throw ValidationError("--sample \(sample): expected 0 to 10000000") }
    }

    /// Parses a hexadecimal address with or without `0x`.
    private static func address(_ text: String) throws -> LinkAddress {
        let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
        guard digits.first?.isHexDigit == true, let value = UInt64(digits, radix: 16) else {
            throw ValidationError("\(text): not an address: expected a hexadecimal number")
        }
        return LinkAddress(value)
    }

    func run() throws {
        Worker.run(file, files: 1, allowance, outcome: "the readers could not be compared", compareAll)
    }
}

extension Verify {
    /// - Returns: whether the readers agree.
    private func compareAll() -> Bool {
        InspectionPhase.opening.begin()
        let run = ComparisonRun(file)
        let watchdog = Watchdog(allowance)
        watchdog.start { run.stop($0) }
        let objects: [ObjectFile]
        do throws(ObjectFileError) { objects = try ObjectFiles.openAll(path: file) } catch {
            printDiagnostic(error.description)
            return false
        }
        let wanted = objects.filter { object in arch.map { object.architecture == Architecture($0) } ?? true }
        guard !wanted.isEmpty else {
            printDiagnostic(
                "\(file): no object for the architecture \(arch ?? ""): it holds \(objects.map(\.architecture.name).joined(separator: ", "))"
            )
            return false
        }
        let choice = ComparisonRun.Choice(given: addresses, sample: sample, seed: seed)
        // Companion files are opened too, before libdwarf reads any file: no file can be opened afterwards.
        let pairs = wanted.map { object in
            let subject = subject(object, isOneOfMany: wanted.count > 1)
            return (subject: subject, readers: ComparisonRun.Readers(subject.object))
        }
        watchdog.allow(
            forBytes: pairs.reduce(0) { $0 + $1.subject.size + ($1.readers?.companionSize ?? 0) },
            addresses: max(addresses.count, sample))
        Worker.seal(opensFiles: pairs.contains { $0.readers?.hasSplitUnits ?? false })
        var isAgreement = true
        for (subject, readers) in pairs {
            Worker.name(subject.name)
            do throws(InspectionError) {
                let summary = try run.compare(subject, readers, choice).summary
                if let change = subject.object.file.change { throw InspectionError(change.problem) }
                if FileChanges.count > 0 { throw InspectionError("a file that belongs to it changed while it was read") }
                run.write()
                isAgreement = isAgreement && summary.isAgreement
            } catch {
                let problem = subject.object.file.change?.problem ?? error.problem
                printDiagnostic("\(subject.name): the readers could not be compared: \(problem)")
                isAgreement = false
            }
        }
        return isAgreement
    }

    /// The object itself, or the debug file that results for it come from.
    private func subject(_ object: ObjectFile, isOneOfMany: Bool) -> ComparisonRun.Subject {
        let name = isOneOfMany ? "\(object.path) (\(object.architecture))" : object.path
        var symbols: [ObjectFile] = []
        do throws(ObjectFileError) { symbols = try object.miniDebugInformation().map { [$0] } ?? [] } catch {
            printDiagnostic(error.description, as: .warning)
        }
        guard !object.hasDebugInformation,
            let companion = Companions().find(
                for: object, open: { path throws(ObjectFileError) in try ObjectFiles.openAll(path: path) }),
            let companion = companion.file as? ObjectFile
        else { return ComparisonRun.Subject(name: name, object: object, symbols: symbols) }
        return ComparisonRun.Subject(
            name: "\(name), by its debug file \(companion.path)", object: companion, symbols: [object] + symbols)
    }
}
