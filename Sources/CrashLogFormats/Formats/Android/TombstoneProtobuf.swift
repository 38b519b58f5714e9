internal import BinaryPrimitives
package import CrashLogModel

/// Android's native crashes as protobuf: `tombstone_00.pb` beside the text since Android 12, and
/// what `ApplicationExitInfo.getTraceInputStream` gives an app of its own crash. The text is made
/// of it (`tombstone_proto_to_text`), so that both give the same report.
///
/// It is one `message Tombstone` of `debuggerd/proto/tombstone.proto` in AOSP's system/core, whose
/// fields' numbers `TombstoneProtobufReader` has.
package struct TombstoneProtobuf: DocumentFormat {
    package static let name = "android-tombstone-pb"
    package static let summary = "Android’s native crashes as protobuf (tombstone_00.pb); the text form is android-tombstone"
    package static let triggers: [String] = []
    package static let isBinary = true
    /// Messages of one length inside another: a longer name would move everything after it.
    package static let acceptsResults = false

    /// The first fields' texts are shorter: `ro.build.fingerprint` and `ro.revision` are
    /// properties, of which most hold 91 bytes.
    private static let headLength = 2048

    /// Protobuf has no magic bytes. Every writer orders fields by their numbers, and crash_dump
    /// fills in all of the first: the architecture (1; that of 32-bit ARM is 0, which is left out),
    /// the build's fingerprint (2), its revision (3) and the time (4).
    package static func begins(_ start: Span<UInt8>) -> Confidence {
        // The key of field 1, a number, or of field 2, a text.
        guard let first = start.at(0), first == 0x08 || first == 0x12 else { return .none }
        var last: UInt64 = 0
        var isTombstone = true
        _ = ProtobufFields.forEach(of: 0..<min(start.count, headLength), in: start) { field in
            guard isTombstone, last < 4 else { return }
            isTombstone = field.number == last + 1 || field.number == 2 && last == 0
            last = field.number
            guard isTombstone else { return }
            switch field.number {
            // `Architecture` had 4 values in Android 12, and has 6.
            case 1: isTombstone = field.unsigned.map { $0 < 16 } ?? false
            case 2: isTombstone = field.range.map { isFingerprint(start.clamped(to: $0)) } ?? false
            case 3: isTombstone = field.range != nil
            default: isTombstone = field.range.map { isTime(start.clamped(to: $0)) } ?? false
            }
        }
        guard isTombstone else { return .none }
        return last >= 4 ? .certain : start.count < headLength ? .possible : .none
    }

    /// `google/sdk_gphone64_arm64/emu64a:13/TE1A.220922.021/9526604:userdebug/dev-keys`, and
    /// `unknown` where the property is not set.
    private static func isFingerprint(_ text: Span<UInt8>) -> Bool {
        text.equals("unknown") || text.firstIndex(of: UInt8(ascii: "/")) != nil && text.firstIndex(of: UInt8(ascii: ":")) != nil
    }

    /// `2023-04-12 12:32:40.518290770+0200`
    private static func isTime(_ text: Span<UInt8>) -> Bool {
        text.count >= 19 && text.at(4) == UInt8(ascii: "-") && text.at(7) == UInt8(ascii: "-") && text.at(10) == UInt8(ascii: " ")
            && text.at(13) == UInt8(ascii: ":")
    }

    package static func parse(_ document: Span<UInt8>) throws(LogError) -> [CrashReport] {
        var reader = TombstoneProtobufReader()
        let problem = ProtobufFields.forEach(of: 0..<document.count, in: document) { reader.read($0, in: document) }
        reader.readStacks(in: document)
        guard var report = reader.report else {
            throw problem ?? reader.problem ?? LogError("the tombstone holds no stacks", expected: "threads with backtraces", at: 0)
        }
        if let problem = problem ?? reader.problem { report.noteCut("The tombstone is damaged: \(problem).") }
        return [report]
    }
}
