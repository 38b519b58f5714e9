internal import Unwinding

/// Contents of dumps other than threads, images and memory.
extension MemoryImage {
    /// Why a thread was stopped, in the numbers of its system.
    ///
    /// On Linux the code is the signal and the flags are `si_code`; on Apple's systems the code is
    /// the Mach exception and the flags are its first number; on Windows `0xC0000005` is an access
    /// violation, whose parameters are 0, 1 or 8 for reading, writing and executing, and the
    /// address.
    package struct Exception: Sendable, Hashable {
        package var thread: UInt64
        package var code: UInt32
        package var flags: UInt32
        /// Address of the instruction, or the one that was accessed.
        package var address: UInt64
        package var parameters: [UInt64]
        /// Whether flags of 0 are `SI_USER`: Crashpad has always written `si_code`; Breakpad's older dumps have 0 for every signal.
        package var hasSignalCode: Bool

        /// `si_code` of a signal on Linux; `nil` if the dump does not have it.
        package var signalCode: Int? { flags == 0 && !hasSignalCode ? nil : Int(Int32(bitPattern: flags)) }
    }

    /// A condition that did not hold, or a call that Windows' C library does not allow.
    package struct Assertion: Sendable, Hashable {
        package enum Kind: UInt32, Sendable { case unknown, invalidParameter, pureVirtualCall }

        package var kind: Kind
        package var expression: String?
        package var function: String?
        package var file: String?
        package var line: UInt32?

        package init(kind: Kind, expression: String?, function: String?, file: String?, line: UInt32?) {
            (self.kind, self.expression, self.function, self.file, self.line) = (kind, expression, function, file, line)
        }
    }

    /// A value that a program recorded about itself.
    package struct Annotation: Sendable, Hashable {
        /// The path of the image that recorded it; `nil` for the program.
        package var image: String?
        package var name: String
        package var value: String

        package init(image: String?, name: String, value: String) {
            (self.image, self.name, self.value) = (image, name, value)
        }
    }

    package struct OperatingSystem: Sendable, Hashable {
        package enum Kind: String, Sendable { case windows, linux, android, macOS, iOS, solaris, fuchsia, other }

        package var kind: Kind?
        /// `Windows NT`, `Linux`, ….
        package var name: String?
        /// `6.1.7600`; on Linux the kernel's release.
        package var version: String?
        /// Further text of the dump: a service pack, Apple's build, Linux' whole `uname`.
        package var build: String?
        /// Linux distribution: `Ubuntu 16.04.1 LTS`.
        package var distribution: String?
        package var processorCount: Int?

        package init() {}
    }
}

extension MemoryImage {
    /// The address that the program crashed at, or whose access was refused.
    ///
    /// Windows' access violations (`0xC0000005`) and errors of reading pages in (`0xC0000006`) have
    /// the address as their second parameter; others, and other systems, in the record.
    package var crashAddress: UInt64? {
        guard let exception = exceptions.first else { return nil }
        let isAccess = operatingSystem.kind == .windows && [0xc000_0005, 0xc000_0006].contains(exception.code)
        guard isAccess, exception.parameters.count >= 2 else { return exception.address }
        return processor.registerSize == 4 ? exception.parameters[1] & 0xffff_ffff : exception.parameters[1]
    }
}
