internal import CrashLogModel

/// Programs of Windows, in the logs of any writer.
enum WindowsProgram {
    /// Reason why frames of such a program are not resolved.
    static let obstacle = "the binaries are Windows' (PE, with PDB files), which are not read"
}
