import BinaryPrimitives
import ObjectFiles
import TestSupport

/// The compiler and the disassemblers that the tests compare with.
enum Tools {
    /// clang and llvm-objdump of the Swift toolchain know every machine that is tested.
    static let clang = Toolchain.path("clang")
    static let llvmObjdump = Toolchain.path("llvm-objdump")
    static let swiftc = Toolchain.path("swiftc")
    static let objdump = Installed.path("objdump")
    static let objcopy = Installed.path("objcopy")
    static let objcopyLLVM = Toolchain.path("llvm-objcopy")
    static let gcc = Installed.path("gcc")
    static let missingLLVM = "clang and llvm-objdump are not beside swift"
    static var hasLLVM: Bool { clang != nil && llvmObjdump != nil }
    static let missingBinutils = "objdump and objcopy (package binutils), or gcc, are not installed"
    static var hasBinutils: Bool { objdump != nil && objcopy != nil && gcc != nil }

    /// Runs a tool that has to succeed.
    static func succeed(_ program: String?, _ arguments: [String]) throws {
        guard let program else { throw RunError(description: "a tool is missing") }
        try run(program, arguments).requireSuccess()
    }
}

/// Addresses by the names of the symbols; the last one where several have a name.
func symbolAddresses(_ object: ObjectFile) throws -> [String: LinkAddress] {
    Dictionary(try elements { try object.forEachSymbol($0) }.map { ($0.name.text(in: object), $0.address) }) { $1 }
}
