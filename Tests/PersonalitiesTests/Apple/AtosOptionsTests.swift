import BinaryPrimitives
import Testing

@testable import Personalities

/// The options of atos(1).
struct AtosOptionsTests {
    private func misuse(_ arguments: [String]) -> String? {
        do throws(AtosOptions.Misuse) { _ = try AtosOptions(arguments) } catch { return error.message }
        return nil
    }

    /// The manual: `-l` and `-s` take hexadecimal numbers, `-offset` none.
    @Test(arguments: [
        ([], AtosOptions.AddressSpace.file), (["-l", "0x100000000"], .loaded(at: 0x1_0000_0000)), (["-l", "1000"], .loaded(at: 0x1000)),
        (["--l", "0X10"], .loaded(at: 0x10)), (["-s", "ffff"], .slid(by: 0xffff)), (["-offset"], .offset),
        (["-textExecAddress", "0xfffffff007004000"], .textExecutable(at: 0xffff_fff0_0700_4000)),
    ])
    func `addresses count from where the options say`(arguments: [String], space: AtosOptions.AddressSpace) throws {
        #expect(try AtosOptions(["-o", "App"] + arguments).addressSpace == space)
    }

    @Test func `options and addresses come in any order, several files in theirs`() throws {
        let options = try AtosOptions([
            "0x1a2b", "-o", "App", "-arch", "arm64", "6805", "-o", "App.dSYM", "-d", " / ", "-inlineFrames", "-f", "list", "--fullPath",
            "-printHeader",
            "-dedup", "-",
        ])
        #expect(options.files == ["App", "App.dSYM"] && options.addresses == ["0x1a2b", "6805", "-"] && options.architecture == .arm64)
        #expect(options.delimiter == " / " && options.addressFile == "list")
        #expect(options.showsInlines && options.showsFullPath && options.printsHeader && !options.wantsHelp)
        // In the manual, the delimiter is a new line by default.
        #expect(try AtosOptions(["-o", "App"]).delimiter == "\n")
    }

    @Test(arguments: [
        ([], "no processes or executables specified"), (["0x10"], "no processes or executables specified"),
        (["-o"], "option -o requires an argument"), (["-o", "App", "-nothing"], "unrecognized option '-nothing'"),
        (["-o", "App", "-l", "xyz"], "-l xyz: expected a hexadecimal address"),
        (["-o", "App", "-l", "-10"], "-l -10: expected a hexadecimal address"),
        (["-o", "App", "-l", "10000000000000000"], "-l 10000000000000000: expected a hexadecimal address"),
        (["-o", "App", "-l", "1", "-s", "1"], "only one of -s, -l, -textExecAddress or -offset may be given"),
        (["-o", "App", "-offset", "-l", "1"], "only one of -s, -l, -textExecAddress or -offset may be given"),
    ])
    func `what cannot be used is said in a line`(arguments: [String], message: String) { #expect(misuse(arguments) == message) }

    @Test func `a process is refused with what works instead`() {
        #expect(misuse(["-p", "42"])?.contains("expected -o with a file and -l with the address that it was loaded at") == true)
    }

    /// Help takes precedence over missing arguments.
    @Test(arguments: [["-help"], ["--help"], ["-h"], ["-h", "-nothing"]]) func `help needs no file`(arguments: [String]) throws {
        #expect(try AtosOptions(arguments).wantsHelp)
    }
}
