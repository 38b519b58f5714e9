package import BinaryPrimitives

extension GSYMFile {
    /// Link address of the image's first mapped byte, and how it is known.
    package enum ImageBase: Sendable, Hashable {
        case known(LinkAddress)
        /// The header leaves it open, and no other address is possible on the systems that cairn supports.
        case assumed(LinkAddress)
        case unknown
    }

    /// Offsets into an image count from its first mapped byte. A GSYM file has link addresses, and
    /// its header a base address, which may be either of two things:
    ///
    /// - where the image is linked: `llvm-gsymutil` writes ELF's first `PT_LOAD`, or Mach-O's
    ///   `__TEXT`, and so does cairn. No function begins there, because the image's own headers do.
    /// - where the first function begins: what LLVM's library writes for callers that do not pass
    ///   it the image (`GsymCreator::getBaseAddress`).
    ///
    /// So a base address at which no function begins is the image's. If a function begins at it,
    /// the image base is not known: the image may begin below. It is used only where it must be
    /// right. A first function below 64 KB is in an image that is linked at 0: no system maps a
    /// program there (`vm.mmap_min_addr`, `__PAGEZERO`), so it is moved when it is loaded, and such
    /// images are linked at 0. For any other, say a Mach-O program with its first function at
    /// 0x100003f00 or an ELF one with it at 0x401000, the image's start is a guess, and a wrong one
    /// would resolve to the neighbour's name: no offset is resolved unless another file of the
    /// image gives it. Link addresses, where the log gives them, are always resolved.
    package var imageBase: ImageBase {
        guard let first = file.withBytes({ address(at: 0, $0) }) else { return .unknown }
        if first != baseAddress.value { return .known(baseAddress) }
        return first < 0x10000 && first > 0 ? .assumed(LinkAddress(0)) : .unknown
    }
}
