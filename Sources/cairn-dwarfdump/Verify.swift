internal import ArgumentParser
internal import BinaryPrimitives
internal import DWARFInspection
internal import ObjectFiles

/// `cairn verify FILE [ADDR…]`: asks cairn's own reader and libdwarf the same addresses.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask cairn's reader and libdwarf the same addresses, and print every difference.",
        discussion: """
            Without addresses: every function start, and a sample of addresses anywhere in the code.

            Exit status: 0 if they agree, 1 if they differ or could not be compared.
            """)

    @Argument(help: "An object file with debug information, or a dSYM bundle.")
    var file: String

    @Argument(help: "Addresses as the file has them, in hexadecimal.", transform: Verify.address)
    var addresses: [LinkAddress] = []

    @Option(help: "How many addresses to draw beside the function starts.")
    var sample = 1000

    @Option(help: "Another seed draws other addresses.")
    var seed: UInt64 = 1

    @Option(help: "Which slice of a universal file; otherwise all.")
    var arch: String?

    func validate() throws {
        guard (0...10_000_000).contains(sample) else { throw ValidationError("--sample \(sample): expected 0 to 10000000") }
    }

    /// Hexadecimal with or without `0x`.
    private static func address(_ text: String) throws -> LinkAddress {
        let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
        guard digits.first?.isHexDigit == true, let value = UInt64(digits, radix: 16) else {
            throw ValidationError("\(text) is no address: expected a hexadecimal number")
        }
        return LinkAddress(value)
    }

    func run() throws {
        #if Inspection
            CrashGuard.report("cairn: \(file): libdwarf crashed on it: the readers could not be compared")
            guard try compareAll() else { throw ExitCode.failure }
        #else
            complain("verify: this build has no libdwarf: expected the package trait Inspection")
            throw ExitCode.failure
        #endif
    }
}

#if Inspection
    extension Verify {
        /// - Returns: whether the readers agree.
        private func compareAll() throws -> Bool {
            let objects: [ObjectFile]
            do throws(ObjectFileError) { objects = try ObjectFiles.openAll(path: file) } catch {
                complain(error.description)
                return false
            }
            let wanted = objects.filter { object in arch.map { object.architecture == Architecture($0) } ?? true }
            guard !wanted.isEmpty else {
                complain(
                    "\(file): no object for the architecture \(arch ?? ""): it holds \(objects.map(\.architecture.name).joined(separator: ", "))"
                )
                return false
            }
            var isAgreement = true
            for object in wanted {
                let name = wanted.count == 1 ? object.path : "\(object.path) (\(object.architecture))"
                do throws(InspectionError) {
                    let comparison = try Comparison(object, given: addresses, sample: sample, seed: seed)
                    comparison.write(name)
                    isAgreement = isAgreement && comparison.summary.isAgreement
                } catch {
                    complain("\(name): the readers could not be compared: \(error.problem)")
                    isAgreement = false
                }
            }
            return isAgreement
        }
    }
#endif
