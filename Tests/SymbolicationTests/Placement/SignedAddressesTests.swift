import BinaryPrimitives
import CrashLogModel
import Testing

@testable import Symbolication

/// Signatures of pointer authentication. Values are those of a report of macOS 13 (arm64e), and
/// arithmetic: the low 39, 47 or 48 bits of an address.
@Suite struct SignedAddressesTests {
    private func report(_ addresses: [UInt64], base: UInt64 = 0x1_04a3_8000, architecture: Architecture = .arm64e) -> CrashReport {
        var report = CrashReport(format: "test")
        report.architecture = architecture
        var image = BinaryImage(name: "Demo")
        image.base = RuntimeAddress(base)
        image.size = 0x4000
        report.images = [image]
        let frames = addresses.enumerated().map { Frame(index: $0, kind: .returnAddress, address: RuntimeAddress($1), range: $0..<$0 + 1) }
        report.threads = [ThreadTrace(index: 0, frames: frames)]
        return report
    }

    private func offsets(_ report: CrashReport) -> [UInt64?] {
        SignedAddresses(report).report.threads[0].frames.map { $0.imageOffset?.value }
    }

    @Test func `the signature is taken off where the rest is in an image`() {
        let signed = report([0x5a6b_9001_04a3_83f8, 0xd935_7e01_04a3_8408])
        // 0x104a383f8 − 0x104a38000 = 0x3f8, 0x104a38408 − 0x104a38000 = 0x408
        #expect(offsets(signed) == [0x3f8, 0x408])
        #expect(SignedAddresses(signed).notes.count == 1)
        // The address itself stays.
        #expect(SignedAddresses(signed).report.threads[0].frames[0].address == RuntimeAddress(0x5a6b_9001_04a3_83f8))
    }

    @Test(arguments: [(39, 0x1_04a3_8000), (47, 0x7f12_04a3_8000), (48, 0xfaaa_04a3_8000)] as [(UInt64, UInt64)])
    func `each system has its own number of bits`(bits: UInt64, base: UInt64) {
        let signature: UInt64 = 0x0055_0000_0000_0000
        #expect(base < 1 << bits)
        #expect(offsets(report([base + 0x3f8 | signature], base: base)) == [0x3f8])
    }

    @Test func `what is in no image without the signature stays as it is`() {
        #expect(offsets(report([0x5a6b_9002_04a3_83f8])) == [nil])
        #expect(SignedAddresses(report([0x5a6b_9002_04a3_83f8])).notes.isEmpty)
    }

    @Test func `other processors sign nothing`() {
        #expect(offsets(report([0x5a6b_9001_04a3_83f8], architecture: .x86_64)) == [nil])
    }

    @Test func `an address that is in an image as it is stays`() {
        #expect(offsets(report([0x1_04a3_83f8])) == [nil])
    }
}
