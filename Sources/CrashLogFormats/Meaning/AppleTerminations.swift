internal import BinaryPrimitives
internal import CrashLogModel

/// Why another part of Apple's systems ended a process: `Termination Reason`.
enum AppleTerminations {
    /// Codes with the same meaning in every namespace. Checked first: they are more specific than
    /// the exception that they come with.
    static let codes: MeaningCodes = """
        Apple, EXC_CRASH (SIGKILL)
        0x8BADF00D | The watchdog ended the app because it did not launch, respond or exit in time. Its main thread was blocked for too long.
        0xC00010FF | The system ended the app because the device was too hot.
        0xDEAD10CC | The system ended the app because it held a file lock or a SQLite lock while it was suspended.
        0xBAADCA11 | The system ended the app because it did not report a CallKit call for a PushKit notification.
        0xBAD22222 | The system ended the VoIP app because it resumed too often.
        0xBADDD15C | The system ended the app to delete its caches, because storage was short.
        0xC51BAD01 | watchOS ended the app because a background task used too much CPU time.
        0xC51BAD02 | watchOS ended the app because a background task did not finish in the allotted time.
        0xC51BAD03 | watchOS ended the app because a background task did not finish in time. The system was busy, and the app may have had little CPU time.
        0x2182BAD2 | The system ended the app because a background task did not finish in time.
        0x2182BAD3 | The system ended the app because a background URL session did not finish in time.
        0x2182BAD4 | The system ended the app because a background fetch did not finish in time.
        """
    static let oldCodes: MeaningCodes = """
        Apple, Technical Note TN2151
        0xDEADFA11 | The user forced the app to quit.
        0xBAAAAAAD | This is a stackshot of the whole system, which a user asked for, and not a crash.
        """

    /// Meanings of the watchdog's event, which is in `WatchdogEvent:` or in the first words of its
    /// text.
    static let watchdogEvents: MeaningTable = """
        Apple, Addressing watchdog terminations
        *scene-create* | The watchdog ended the app because it took too long to launch: its main thread did not show the first frame in time.
        *scene-update* | The watchdog ended the app because it did not update its user interface in time: its main thread was too busy.
        """

    static let dyld: MeaningCodes = """
        dyld, include/mach-o/dyld_priv.h, DYLD_EXIT_REASON
        1 | The dynamic linker did not find a library that the program needs.
        2 | The dynamic linker found a needed library only for another architecture.
        3 | The dynamic linker found only an older version of a library that the program needs.
        4 | A library does not have a symbol that the program needs.
        5 | A library that the program needs has no valid code signature.
        6 | The sandbox did not allow the dynamic linker to read a library that the program needs.
        7 | A library that the program needs is not a valid Mach-O file.
        9 | The dynamic linker could not start the program.
        """

    static let codeSigning: MeaningCodes = """
        XNU, bsd/sys/reason.h, CODESIGNING_EXIT_REASON
        1 | The system ended the process because its code signature is invalid.
        2 | The system ended the process because a page of its code does not match the code signature.
        3 | The system ended the process because it asked for the task port of another process without permission.
        4 | The system ended the process because its launch constraints do not allow it to start in this way.
        """

    static let exec: MeaningCodes = """
        XNU, bsd/sys/reason.h, EXEC_EXIT_REASON
        1 | The program could not be started: it is not a valid Mach-O file.
        4 | The program could not be started: its stack could not be allocated.
        8 | The program could not be started: a security policy forbids it.
        10 | The program could not be started: its FairPlay encryption could not be removed.
        11 | The program could not be started: it could not be decrypted.
        13 | The program could not be started: the system does not run 32-bit programs.
        14 | The program could not be started: it was built for another platform.
        """

    static let jetsam: MeaningCodes = """
        XNU, bsd/sys/kern_memorystatus.h, JETSAM_REASON
        2 | The system ended the process to regain memory: it used more than its high-water mark.
        3 | The system ended the process because the system had run out of vnodes.
        4 | The system ended the process to regain memory: too few free pages were left.
        7 | The system ended the process because it used more memory than its limit.
        8 | The system ended the process because storage was short.
        9 | The system ended the idle process to regain memory.
        10 | The system ended the process because the kernel's zone memory was exhausted.
        11 | The system ended the process to regain memory: the memory compressor was thrashing.
        12 | The system ended the process to regain memory: the memory compressor was out of space.
        100 | The system ended the process because it exceeded its CPU limit.
        """

    static let namespaces: MeaningTable = """
        XNU, bsd/sys/reason.h, OS_REASON
        JETSAM | The system ended the process to regain memory or another scarce resource.
        CODESIGNING | The system ended the process because of its code signature.
        DYLD | The dynamic linker could not load what the program needs.
        LIBXPC | The library libxpc, for messages between processes, ended the process.
        OBJC | The Objective-C runtime ended the process after a fatal error.
        EXEC | The system could not start the program.
        SPRINGBOARD | SpringBoard, which manages the apps, ended the app.
        FRONTBOARD | FrontBoard, which manages the apps, ended the app.
        RUNNINGBOARD | RunningBoard, which manages processes, ended the process.
        ASSERTIOND | assertiond, which manages processes, ended the process.
        CAROUSEL | Carousel, which manages the apps of watchOS, ended the app.
        TCC | The privacy system TCC ended the app.
        WATCHDOG | The system's watchdog ended the process.
        LIBSYSTEM | A library of the system ended the process after a fatal error.
        SANDBOX | The sandbox ended the process.
        SECURITY | The system ended the process for a reason of security.
        METAL | Metal ended the process after a fatal error.
        PAC_EXCEPTION | A pointer failed its authentication: it was overwritten, or signed in another way.
        PORT_SPACE | The process used up its Mach ports.
        ROSETTA | Rosetta could not run the program.
        """

    static let messages: MeaningTable = """
        *privacy-sensitive data without a usage description* | The app used private data without the usage description that its Info.plist must have. | Apple, Requesting access to protected resources
        *monitored services unresponsive* | The system's watchdog ended the process because a service that it monitors did not respond. | watchdogd's own words in the report
        """

    /// Meaning of the code, independent of the namespace that ended the process.
    static func meaningOfCode(_ cause: CrashCause) -> Meaning? {
        guard let termination = cause.termination else { return nil }
        let code = termination.code ?? knownCode(in: termination.message)
        if code == 0x8BAD_F00D, let event = watchdogEvents.meaning(of: termination.message) { return event }
        return codes.meaning(of: code) ?? oldCodes.meaning(of: code)
    }

    /// Meaning of the namespace and of its own codes. `SIGNAL` only repeats the signal, and `GUARD`
    /// the exception.
    static func meaningOfNamespace(_ cause: CrashCause) -> Meaning? {
        guard let termination = cause.termination else { return nil }
        if let found = messages.meaning(of: termination.message) { return found }
        guard let namespace = termination.namespace else { return nil }
        let table: MeaningCodes? =
            switch namespace {
            case "DYLD": dyld
            case "CODESIGNING": codeSigning
            case "EXEC": exec
            case "JETSAM": jetsam
            default: nil
            }
        return table?.meaning(of: termination.code) ?? namespaces.meaning(of: namespace)
    }

    /// Finds a code in the text: some reports have it only there, `0xDEADFA11 (user force quit)`.
    private static func knownCode(in text: String) -> UInt64? {
        let bytes = Array(text.utf8)
        var start = 0
        while let found = bytes.span.firstRange(of: "0x", from: start) {
            var rest = bytes.span.from(found.lowerBound)
            if let value = rest.readAddress(), codes.rows[value] != nil || oldCodes.rows[value] != nil { return value }
            start = found.upperBound
        }
        return nil
    }
}
