package import BinaryPrimitives

/// Code of one image in a process's memory.
package struct UnwindModule: Sendable {
    /// An image whose files were opened.
    package struct Image: Sendable {
        package var tables: UnwindTables
        /// Difference of an address in memory from the one in the file, modulo 2⁶⁴.
        package var bias: UInt64

        package init(_ tables: UnwindTables, bias: UInt64) {
            self.tables = tables
            self.bias = bias
        }
    }

    /// The mapped addresses: of the whole image, or of its code.
    package let range: Range<UInt64>
    /// Address that offsets into the image count from, as in Breakpad's symbol files.
    package let base: UInt64
    let image: LazyValue<Image?>

    /// - Parameter open: opens the image's files, for the first program counter that is in it.
    package init(_ range: Range<UInt64>, base: UInt64? = nil, open: @escaping @Sendable () -> Image?) {
        self.init(range, base: base, LazyValue(open))
    }

    /// - Parameter image: shared by all modules that are parts of one image.
    package init(_ range: Range<UInt64>, base: UInt64? = nil, _ image: LazyValue<Image?>) {
        self.range = range
        self.base = base ?? range.lowerBound
        self.image = image
    }
}

/// The modules of a process by their addresses.
package struct ModuleMap: Sendable {
    /// Ascending; if two overlap, the one that begins first is whole.
    private let modules: [UnwindModule]

    package init(_ modules: [UnwindModule]) {
        var sorted: [UnwindModule] = []
        for module in modules.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) where !module.range.isEmpty {
            if let last = sorted.last, last.range.upperBound > module.range.lowerBound { continue }
            sorted.append(module)
        }
        self.modules = sorted
    }

    package var isEmpty: Bool { modules.isEmpty }

    /// One past the highest address of a module.
    var end: UInt64 { modules.last?.range.upperBound ?? 0 }

    package func module(holding address: UInt64) -> UnwindModule? {
        let low = modules.partitionPoint { $0.range.lowerBound > address }
        guard low > 0, modules[low - 1].range.contains(address) else { return nil }
        return modules[low - 1]
    }
}
