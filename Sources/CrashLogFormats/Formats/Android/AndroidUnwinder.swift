internal import BinaryPrimitives
internal import CrashLogModel

/// Meaning of `pc`, depending on the program that printed it.
///
/// It is never a runtime address, and it is already the one to look up: libunwindstack takes the
/// call instruction's length off every frame but the first and the one that a signal interrupted
/// (`Unwinder::FillInFrame`), xCrash does the same (`frame->rel_pc = rel_pc - pc_adjustment`). What
/// it counts from differs:
///
///  - Android 11 and later: the library's link addresses: pc − map start + map offset + (`p_vaddr`
///    − `p_offset` of the first executable segment).
///  - Android 9 and 10, and xCrash on every release: the same, but with a load bias of `p_vaddr`
///    where that segment begins at the file's first byte and of 0 where not: then it is an offset
///    into the file. LLD's libraries have their code at another address than offset
///    (`--rosegment`), GNU's do not.
///  - Android 8 and before: from the executable mapping's start, plus the load bias. A mapping that
///    does not begin at the file's first byte is printed as `(offset 0x…)`.
///
/// (`Elf::GetRelPc` and `ElfInterface::ReadProgramHeaders` of libunwindstack, `BacktraceMap` of
/// libbacktrace, `xcd_map_get_rel_pc`; android/ndk#1366.)
struct AndroidUnwinder {
    /// Android's release, the whole number; `nil` if the log does not have it.
    var release: Int?
    var isXCrash = false
    /// There was a frame for which the log does not show the meaning of `pc`.
    private(set) var isUnsettled = false

    /// Location of a frame in an ELF file.
    mutating func location(of row: AndroidRow, in mapping: AndroidMapping) -> ImageLocation {
        if isXCrash { return .relativePC(row.pc) }
        switch release {
        case .some(11...): return .linkAddress(LinkAddress(row.pc))
        case .some(9...10): return .relativePC(row.pc)
        case .some:
            guard let offset = row.mapOffset else { return .linkAddress(LinkAddress(row.pc)) }
            let (sum, overflow) = row.pc.addingReportingOverflow(offset)
            if case .library(let path, _) = mapping, !path.contains("!"), !overflow { return .fileOffset(sum) }
            // Inside an APK the offset does not show where in the library the mapping begins;
            // before LLD it was its beginning.
            isUnsettled = true
            return .linkAddress(LinkAddress(row.pc))
        case nil:
            isUnsettled = true
            return .linkAddress(LinkAddress(row.pc))
        }
    }

    /// Note for readers of the results if the meaning of a frame's `pc` is uncertain.
    var note: String? {
        guard isUnsettled else { return nil }
        let writer = release.map { "Android \($0)" } ?? "the log does not name Android’s release, and before 11 it"
        return
            "pc is assumed to be a link address: \(writer) counts from elsewhere where a library’s code is linked at another address than its offset in the file "
            + "(LLD’s --rosegment), and then the right addresses are higher by that difference"
    }

    /// The number after the first colon of
    /// `google/sailfish/sailfish:10/QP1A.190711.020/5800535:user/release-keys`; `nil` for a
    /// preview's letter.
    static func release(fingerprint: Span<UInt8>) -> Int? {
        guard let colon = fingerprint.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var rest = fingerprint.from(colon + 1)
        guard let number = rest.readDecimal(), rest.at(0) == UInt8(ascii: "/") || rest.at(0) == UInt8(ascii: ".") else { return nil }
        return (1...999).contains(number) ? Int(number) : nil
    }
}
