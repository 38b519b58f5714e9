internal import BinaryPrimitives
internal import CrashLogModel

extension Architecture {
    /// The architecture of a Mach-O image from the numbers of its header (`cputype`, `cpusubtype`
    /// of `mach/machine.h`); `nil` for numbers that Apple never shipped.
    ///
    /// The subtype's highest byte holds capabilities (`CPU_SUBTYPE_MASK`) and is not part of it; a
    /// reporter that read it as a signed number writes it negative.
    init?(machCPU type: Int, subtype: Int?) {
        let subtype = subtype.map { $0 & 0x00FF_FFFF }
        switch type {
        case 7: self = .i386
        case 0x0100_0007: self = subtype == 8 ? .x86_64h : .x86_64
        case 12:
            switch subtype {
            case 6: self = .armv6
            case 9: self = .armv7
            case 11: self = .armv7s
            case 12: self = .armv7k
            default: self = .arm
            }
        case 0x0100_000C: self = subtype == 2 ? .arm64e : .arm64
        case 0x0200_000C: self = .arm64_32
        case 18: self = .ppc
        case 0x0100_0012: self = .ppc64
        default: return nil
        }
    }

    /// The architecture by the name that a device's `NXGetLocalArchInfo` gives it: `armv7f`, `x86`,
    /// `arm64e`.
    init(deviceName name: String) {
        switch name {
        case "x86", "i486", "x86_32": self = .i386
        case "x86-64", "amd64": self = .x86_64
        case "arm64v8": self = .arm64
        case "armv7f": self = .armv7
        case "ARM-64": self = .arm64
        default: self = Architecture(name)
        }
    }
}
