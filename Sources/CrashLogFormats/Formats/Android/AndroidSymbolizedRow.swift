internal import BinaryPrimitives
internal import CrashLogModel

/// Rows of sanitizers in an Android log, where one's report is the abort message, or where a tool
/// has symbolicated the stack (ClusterFuzz, ndk-stack):
///
///     #0 0x7b24d90a08  (/system/lib64/libclang_rt.hwasan-aarch64-android.so+0x2ca08) (BuildId: …)
///     #1 0x00081218 in pthread_kill /bionic/libc/bionic/pthread_kill.cpp:45
///     #0 0x00000333 in                                                             nothing was found
extension SanitizerRow {
    init?(inAndroidLog line: Span<UInt8>) {
        self.init(line)
        let words = line.from(headEnd).trimmed()
        guard address != nil, words.hasPrefix("in ") || words.equals("in") || words.hasPrefix("(/") && module != nil else { return nil }
    }

    /// The row as one of the unwinder's.
    var unwound: AndroidRow? {
        guard let module, module.path.hasPrefix("/") else { return nil }
        let id = module.id.flatMap { ImageID(buildID: $0.bytes) }
        return AndroidRow(index: index, pc: module.offset, mapping: module.path, id: id, printed: printed)
    }
}

extension AndroidRow {
    init(index: Int, pc: UInt64, mapping: String, mapOffset: UInt64? = nil, id: ImageID?, printed: PrintedSymbol?) {
        (self.index, self.pc, self.mapping, self.mapOffset, self.id, self.printed) = (index, pc, mapping, mapOffset, id, printed)
        nameRange = 0..<0
    }
}
