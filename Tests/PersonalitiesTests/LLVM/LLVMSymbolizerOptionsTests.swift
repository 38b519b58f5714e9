import Testing

@testable import Personalities

/// llvm-symbolizer's options and its error messages, as LLVM 19.1.7 prints them.
struct LLVMSymbolizerOptionsTests {
    private func read(_ arguments: [String], isAddr2Line: Bool = false, environment: String? = nil) throws -> LLVMSymbolizerOptions {
        try LLVMSymbolizerOptions(arguments, isAddr2Line: isAddr2Line, environment: environment)
    }

    @Test(arguments: [
        (["--bogus"], ["error: unknown argument '--bogus'"]),
        (["--addresse"], ["error: unknown argument '--addresse', did you mean '--addresses'?"]), (["-Z"], ["error: unknown argument '-Z'"]),
        (["-e"], ["error: -e: missing argument"]), (["--obj"], ["error: --obj: missing argument"]),
        (["-ap=3"], ["error: unknown argument '-p=3'"]), (["-fC=x"], ["error: unknown argument '-C=x'"]),
        (["--=x"], ["error: unknown argument '--=x'"]),
        // A missing value is reported first.
        (["-aZe"], ["error: -e: missing argument", "error: unknown argument '-Z'"]),
        (["--adjust-vma=zz"], ["--adjust-vma=: expected a non-negative integer, but got 'zz'"]),
        (["--build-id=xyz"], ["--build-id=: expected a build ID, but got 'xyz'"]),
        (["--build-id=ab", "--obj=x"], ["error: cannot specify both --build-id and --obj"]),
    ])
    func `what is wrong is in the tool's words`(arguments: [String], lines: [String]) {
        #expect(outcome(arguments) == "misuse: " + lines.joined(separator: "; "))
    }

    @Test(arguments: [
        (["-fCie", "lib.so", "-a"], "lib.so"), (["-elib.so", "-faiC"], "lib.so"), (["-e=lib.so", "-a", "-f", "-i", "-C"], "lib.so"),
        (["--exe", "lib.so", "-afiC"], "lib.so"), (["-obj=a", "-obj=lib.so", "-afCi"], "lib.so"),
    ])
    func `letters may be together, the last file counts`(arguments: [String], object: String) throws {
        let options = try read(arguments, isAddr2Line: true)
        #expect(options.object == object && options.addresses.isEmpty)
        #expect(options.showsAddresses && options.names == .linkage && options.showsInlines && options.demangles)
    }

    /// `llvm-addr2line --help`: it needs `-f`, `-i` and `-C`, and prints as GNU does.
    @Test func `the two names have defaults of their own`() throws {
        let (symbolizer, addr2Line) = (try read([]), try read([], isAddr2Line: true))
        #expect(symbolizer.style == .llvm && symbolizer.names == .linkage && symbolizer.showsInlines && symbolizer.demangles)
        #expect(addr2Line.style == .gnu && addr2Line.names == .none && !addr2Line.showsInlines && !addr2Line.demangles)
    }

    @Test(
        arguments: [
            ("--output-style=JSON", .json), ("--output-style=GNU", .gnu), ("--output-style=LLVM", .llvm), ("--output-style=gnu", .llvm),
        ] as [(String, LLVMSymbolizerOptions.Style)])
    func `a style is a word in capitals`(argument: String, style: LLVMSymbolizerOptions.Style) throws {
        #expect(try read([argument]).style == style)
    }

    @Test func `options of the environment go before the arguments`() throws {
        let options = try read(["--no-demangle", "0x1"], environment: "--output-style=JSON '--obj=a b' --demangle")
        #expect(options.style == .json && options.object == "a b" && !options.demangles && options.addresses == ["0x1"])
    }

    @Test(arguments: [("0x10", 16), ("010", 8), ("0b11", 3), ("42", 42), ("18446744073709551615", .max)] as [(String, UInt64)])
    func `a number is written as in C`(text: String, value: UInt64) throws {
        #expect(try read(["--adjust-vma", text]).adjustment == value)
    }

    @Test(
        arguments: [
            (["--functions=short"], .short), (["-f=none"], .none), (["--functions=none", "-f"], .linkage),
        ] as [([String], LLVMSymbolizerOptions.Names)])
    func `the last word about names counts`(arguments: [String], names: LLVMSymbolizerOptions.Names) throws {
        #expect(try read(arguments).names == names)
    }

    @Test(arguments: [
        (["--version", "-h"], "help"), (["-v"], "version"), (["-h", "-Z"], "misuse: error: unknown argument '-Z'"), (["-a"], "options"),
    ])
    func `what is wrong goes before help, and help before the version`(arguments: [String], word: String) {
        #expect(outcome(arguments) == word)
    }

    private func outcome(_ arguments: [String]) -> String {
        do throws(LLVMSymbolizerOptions.Request) {
            _ = try LLVMSymbolizerOptions(arguments, isAddr2Line: false)
            return "options"
        } catch {
            switch error {
            case .help: return "help"
            case .version: return "version"
            case .misuse(let lines): return "misuse: " + lines.joined(separator: "; ")
            }
        }
    }
}
