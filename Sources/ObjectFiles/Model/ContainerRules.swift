package import BinaryPrimitives

/// Rules that differ between containers, as values: who reads an object asks for the rule, and not for the container.
extension ObjectFile.Description {
    /// Compilers put an underscore before every name of the source: Mach-O's, and those of 32-bit Windows.
    package var namesHaveUnderscores: Bool { container == .machO || container == .pe && architecture == .i386 }

    /// The number in symbols of the first of `sections`: ELF counts from 0, where it has an empty one.
    package var firstSectionNumber: Int { container == .elf ? 0 : 1 }

    /// A symbol without a size reaches to the next: only ELF's tables give sizes.
    package var symbolsReachToTheNext: Bool { container != .elf }

    /// A table lists the data between instructions (`LC_DATA_IN_CODE`).
    package var listsDataInCode: Bool { container == .machO }

    /// Debug information may be in a dSYM bundle, and names in symbol maps beside it.
    package var usesBundles: Bool { container == .machO }

    /// Of the files of an image, the first has all that is known of an address. A Mach-O binary beside its dSYM has a debug map and names
    /// of the dynamic linker's; so has a program for Windows.
    package var isCompleteAlone: Bool { container == .elf }

    /// In 32 bits, `.eh_frame` numbers the registers 4 and 5 the other way round than DWARF (Darwin's `ebp` and `esp`).
    package var swapsFrameRegisters: Bool { container == .machO && architecture.family == "i386" }

    /// The loader puts each section at its own address, wherever its bytes are in the file (Windows).
    package var isMappedBySections: Bool { container == .pe }

    /// Addresses at which the image may be loaded are multiples of this (bytes): pages, of 16 KB in Apple's arm64 systems; no Linux has smaller
    /// ones than 4 KB. Windows' allocation granularity is 64 KB (`dwAllocationGranularity`).
    package var loadAlignment: UInt64 {
        switch container {
        case .machO where architecture.family == "arm64": 16384
        case .pe: 65536
        case .elf, .machO, .webAssembly: 4096
        }
    }

    /// Code and data have their addresses, at least within the file: not in relocatable files but Mach-O's.
    package var hasAddresses: Bool { kind != .relocatable || container == .machO }

    /// The names that a debug section may have: as it is, and with a `z` where it is compressed in GNU's old way. Mach-O's have two
    /// underscores instead of the dot and are cut to the sixteen bytes of `sectname`.
    /// - Parameter name: ELF's, such as `.debug_info` or `.debug_info.dwo`.
    /// - Returns: none for split units in Mach-O, which has none; sixteen bytes would not distinguish their names from the others.
    package func names(ofDebugSection name: String) -> [String] {
        let rest = String(name.dropFirst())
        guard container == .machO else { return [name, ".z" + rest] }
        return name.hasSuffix(".dwo") ? [] : [String(("__" + rest).prefix(16)), String(("__z" + rest).prefix(16))]
    }
}

extension ObjectFile {
    /// The debug sections of a name that have bytes: several in a relocatable file, which its linker would join.
    /// - Parameter name: ELF's, such as `.debug_info`.
    package func debugSections(named name: String) -> [Section] {
        let names = description.names(ofDebugSection: name)
        let found = description.sections.filter { names.contains($0.name) && !$0.fileRange.isEmpty }
        return description.sectionsArePlaced ? found : Array(found.prefix(1))
    }

    /// Bytes at the file's beginning that are others in a process's memory, or in a copy that was stripped; and how many of the others are
    /// the same.
    package var changedBeginning: (changed: [Range<Int>], count: Int) {
        let isWide = description.addressSize == 8
        // `e_shoff` and the number of section headers: they differ in a copy that was stripped.
        guard description.isMappedBySections else { return (isWide ? [40..<48, 60..<64] : [32..<36, 48..<52], 4096) }
        // The image base in the optional header, which Windows' loader sets; after the headers, sections are elsewhere in memory.
        let header = file.withBytes { (try? $0.value(UInt32.self, at: 60, .littleEndian)).map { Int($0) + 24 } ?? 0 }
        return ([header + 24..<header + 32], min(4096, description.segments.first?.fileRange.count ?? 0))
    }
}
