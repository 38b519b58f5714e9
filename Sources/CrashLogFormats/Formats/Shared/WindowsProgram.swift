internal import CrashLogModel

/// Programs of Windows, in whoever's log.
enum WindowsProgram {
    /// Why frames of such a program are not resolved.
    static let obstacle = "the binaries are Windows' (PE, with PDB files), which are not read"
}
