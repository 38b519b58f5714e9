/// A `STACK WIN` line: how 32-bit Windows code is unwound, from a PDB file (Breakpad,
/// `src/processor/windows_frame_info.h`).
struct BreakpadWindowsFrame {
    /// Bytes of the function's parameters, which its caller pushed.
    var parameters: UInt64
    var savedRegisters: UInt64
    var locals: UInt64
    /// Words of a program, such as `$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =`.
    var program: [String]

    /// Program for a line that has none (Breakpad, `src/processor/stackwalker_x86.cc`).
    static func program(savesBasePointer: Bool) -> [String] {
        let returned = "$T0 .raSearchStart = $eip $T0 ^ = $esp $T0 4 + ="
        let saved = " $ebp $esp .cbCalleeParams + .cbSavedRegs + 8 - ^ ="
        return (savesBasePointer ? returned + saved : returned).split(separator: " ").map(String.init)
    }
}
