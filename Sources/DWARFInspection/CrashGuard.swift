#if Inspection
    internal import CLibdwarf

    /// What happens when libdwarf crashes on the bytes of a file.
    public enum CrashGuard {
        /// From now on a crash of this process writes `line` to standard error and ends it with status 1. Called once, by a program whose only work is with
        /// libdwarf.
        public static func report(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            for (index, byte) in bytes.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
            // The handler needs it for as long as the process lives.
            unsafe cairn_dwarf_end_crashes(copy, UInt(bytes.count))
        }
    }
#endif
