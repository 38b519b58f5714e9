internal import BinaryPrimitives
internal import CrashLogModel

/// Android's tombstone as protobuf (`tombstone_00.pb` beside the text, since Android 12; what
/// `ApplicationExitInfo.getTraceInputStream` gives): `message Tombstone` of
/// `debuggerd/proto/tombstone.proto`.
package enum ProtobufTombstone {
    /// Fields come in the order of their numbers: the architecture (1, left out for 32-bit ARM,
    /// whose number is 0), the build's fingerprint (2), its revision (3) and the time (4), all
    /// text.
    package static func recognise(_ start: Span<UInt8>) -> ForeignFile? {
        var numbers: [UInt64] = []
        var isTombstone = true
        _ = ProtobufFields.forEach(of: 0..<min(start.count, 4096), in: start) { field in
            guard numbers.count < 4, isTombstone else { return }
            switch field.number {
            case 1: isTombstone = field.unsigned.map { $0 < 8 } ?? false
            // `google/sdk_gphone64_arm64/emu64a:13/TE1A.220922.021/9526604:userdebug/dev-keys`
            case 2:
                isTombstone =
                    field.text(in: start).map { $0.utf8.contains(UInt8(ascii: "/")) && $0.utf8.contains(UInt8(ascii: ":")) } ?? false
            case 3, 4: isTombstone = field.range != nil
            default: isTombstone = false
            }
            if isTombstone { numbers.append(field.number) }
        }
        guard isTombstone, numbers == [1, 2, 3, 4] || numbers.starts(with: [2, 3, 4]) else { return nil }
        return ForeignFile(
            name: "android-tombstone-pb", kind: "an Android tombstone as protobuf",
            // AOSP's own tool, on the device and in its builds.
            command: "pbtombstone")
    }
}
