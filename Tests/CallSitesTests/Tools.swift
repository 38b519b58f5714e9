import TestSupport

/// The compiler and the disassemblers that the tests compare with.
enum Tools {
    /// clang and llvm-objdump of the Swift toolchain, which know every machine that is tested;
    /// beside `swift`, wherever that is.
    private static let toolchain: String? = {
        guard let found = try? run("sh", ["-c", "dirname \"$(readlink -f \"$(command -v swift)\")\""]), found.status == 0 else {
            return nil
        }
        return found.lines.first
    }()

    static let clang = inToolchain("clang")
    static let llvmObjdump = inToolchain("llvm-objdump")
    static let swiftc = inToolchain("swiftc")
    static let objdump = inPath("objdump")
    static let objcopy = inPath("objcopy")
    static let objcopyLLVM = inToolchain("llvm-objcopy")
    static let gcc = inPath("gcc")
    static let missingLLVM = "clang and llvm-objdump are not beside swift"
    static var hasLLVM: Bool { clang != nil && llvmObjdump != nil }
    static let missingBinutils = "objdump and objcopy (package binutils), or gcc, are not installed"
    static var hasBinutils: Bool { objdump != nil && objcopy != nil && gcc != nil }

    private static func inToolchain(_ name: String) -> String? {
        guard let path = toolchain.map({ $0 + "/" + name }), TestPaths.isReadable(path) else { return nil }
        return path
    }

    private static func inPath(_ name: String) -> String? {
        guard let found = try? run("sh", ["-c", "command -v " + name]), found.status == 0 else { return nil }
        return found.lines.first
    }

    /// Runs a tool that has to succeed.
    static func succeed(_ program: String?, _ arguments: [String]) throws {
        guard let program else { throw RunError(description: "a tool is missing") }
        let result = try run(program, arguments)
        guard result.status == 0 else { throw RunError(description: "\(program) \(arguments.joined(separator: " ")): \(result.errors)") }
    }
}
