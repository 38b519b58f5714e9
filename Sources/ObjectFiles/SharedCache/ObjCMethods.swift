internal import BinaryPrimitives

/// The methods of Objective-C that an image of a shared cache defines, from the tables by which the runtime finds them
/// (`objc-runtime-new.h` of Apple's objc4). A cache without its local symbols has their functions under no other name.
///
///     __objc_classlist   pointers to class_t: isa (the metaclass), superclass, two words, class_ro_t
///     __objc_catlist     pointers to category_t: name, class_t, methods, class methods
///     class_ro_t         numbers, layout, name, methods
///     method_list_t      size of an entry and flags, number of entries; entries: selector, type, function
///
/// Entries are pointers, or distances of 32 bits from themselves: to the function, and to a pointer to the selector or, in caches
/// since iOS 15, from one base in all of the cache to the selector.
struct ObjCMethods: Sendable {
    struct Method: Sendable {
        /// Addresses of its function, and of the names.
        var function: UInt64
        var selector: UInt64
        var className: UInt64
        var category: UInt64?
        var isClassMethod: Bool
    }

    /// Ascending by function.
    let methods: [Method]

    /// - Parameters:
    ///   - image: its sections have the lists.
    ///   - selectorBase: from where on selectors are counted in lists that count from one base; `nil` if it is not known.
    init(_ image: ObjectFile.Description, _ memory: SharedCacheMemory, _ limits: Limits, selectorBase: @escaping () -> UInt64?) {
        var reader = ObjCMethodReader(image, memory, limits, selectorBase)
        reader.readCategories(image.sections.filter { $0.name == "__objc_catlist" })
        reader.readClasses(image.sections.filter { $0.name == "__objc_classlist" })
        methods = reader.methods.sorted { $0.function < $1.function }
    }

    /// The methods whose function begins at an address.
    func methods(ofFunctionAt address: UInt64) -> [Method] {
        Array(methods[methods.partitionPoint { $0.function >= address }...].prefix { $0.function == address })
    }
}

extension SharedCacheMemory {
    /// The name that methods with one function have: `-[Boat row:with:]`, `+[Boat(Sails) new]`. `nil` if there is none, or several share
    /// the function.
    func name(of methods: [ObjCMethods.Method]) -> String? {
        let names = methods.map { name(of: $0) }
        guard let name = names.first, names.allSatisfy({ $0 == name }) else { return nil }
        return name
    }

    private func name(of method: ObjCMethods.Method) -> String? {
        guard let selector = text(at: method.selector), let name = text(at: method.className) else { return nil }
        let category = method.category.flatMap { text(at: $0) }.map { "(\($0))" } ?? ""
        return "\(method.isClassMethod ? "+" : "-")[\(name)\(category) \(selector)]"
    }
}

/// The bytes of a shared cache by their addresses.
struct SharedCacheMemory: Sendable {
    let file: MappedFile
    let addresses: AddressMap
    /// Bytes of a pointer.
    let width: Int

    private static let nameLength = 4096

    func number<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type, at address: UInt64) -> Value? {
        guard let range = addresses.range(address, UInt64(MemoryLayout<Value>.size)) else { return nil }
        return file.withBytes { try? $0.value(Value.self, at: range.lowerBound, .littleEndian) }
    }

    /// The address that a pointer in a mapping means; `nil` for none.
    func pointer(at address: UInt64) -> UInt64? {
        let stored = width == 8 ? number(UInt64.self, at: address) : number(UInt32.self, at: address).map { UInt64($0) }
        return stored.flatMap { addresses.encoding(at: address).address($0) }
    }

    /// The pointer that is the one with that number of several; `nil` for none.
    func pointer(_ index: Int, of address: UInt64) -> UInt64? { pointer(at: address &+ UInt64(index * width)) }

    /// - Returns: `nil` if the text is not printable: names of the tables are.
    func text(at address: UInt64) -> String? {
        guard let range = addresses.range(from: address) else { return nil }
        let end = FileOffset(UInt64(range.upperBound))
        let text = file.string(from: FileOffset(UInt64(range.lowerBound)), before: end, limit: Self.nameLength)
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
        return text
    }
}

private struct ObjCMethodReader {
    private let memory: SharedCacheMemory
    private let isThumb: Bool
    private let segments: [Range<UInt64>]
    /// Entries that may yet be read: lists of a damaged cache overlap.
    private var allowance: Int
    private let selectorBase: () -> UInt64?
    private var knownSelectorBase: UInt64??
    /// Addresses of the lists of categories: classes may have them among their own.
    private var categoryLists: Set<UInt64> = []
    var methods: [ObjCMethods.Method] = []

    init(
        _ image: ObjectFile.Description, _ memory: SharedCacheMemory, _ limits: Limits, _ selectorBase: @escaping () -> UInt64?
    ) {
        self.memory = memory
        self.selectorBase = selectorBase
        isThumb = image.architecture.hasThumbBit
        segments = image.segments.compactMap { segment in
            segment.address.advanced(by: segment.size).map { segment.address.value..<$0.value }
        }
        allowance = limits.objcMethods
    }

    mutating func readCategories(_ lists: [Section]) {
        forEachPointer(in: lists) { reader, category in
            guard let name = reader.memory.pointer(0, of: category), let target = reader.memory.pointer(1, of: category),
                let own = reader.readOnlyData(of: target), let className = reader.name(of: own)
            else { return }
            for (index, isClassMethod) in [(2, false), (3, true)] {
                guard let list = reader.memory.pointer(index, of: category) else { continue }
                reader.categoryLists.insert(list)
                reader.readList(at: list, className, category: name, isClassMethod)
            }
        }
    }

    mutating func readClasses(_ lists: [Section]) {
        forEachPointer(in: lists) { reader, own in
            guard let data = reader.readOnlyData(of: own), let name = reader.name(of: data) else { return }
            reader.readLists(of: data, name, isClassMethod: false)
            guard let meta = reader.memory.pointer(0, of: own), let metaData = reader.readOnlyData(of: meta) else { return }
            reader.readLists(of: metaData, name, isClassMethod: true)
        }
    }

    private mutating func forEachPointer(in lists: [Section], _ body: (inout ObjCMethodReader, UInt64) -> Void) {
        for list in lists {
            var address = list.address.value
            let end = list.address.advanced(by: list.size)?.value ?? address
            while address < end, allowance > 0 {
                allowance -= 1
                if let pointer = memory.pointer(at: address) { body(&self, pointer) }
                address &+= UInt64(memory.width)
            }
        }
    }

    /// `class_ro_t` of a class. The lowest bits of the pointer are flags: three in 64 bits, two in 32 (`FAST_DATA_MASK`).
    private func readOnlyData(of own: UInt64) -> UInt64? { memory.pointer(4, of: own).map { $0 & ~UInt64(memory.width - 1) } }

    /// Offset in `class_ro_t` of the first pointer: behind `flags`, `instanceStart`, `instanceSize` and, in 64 bits, a reserved number.
    private var pointers: UInt64 { memory.width == 8 ? 16 : 12 }

    private func name(of data: UInt64) -> UInt64? { memory.pointer(1, of: data &+ pointers) }

    /// The lowest bit of the pointer says that it is to a list of lists, of which the class's own is one and those of categories, of
    /// this image or of others, are the rest: an entry has an image's number and, in the upper 48 bits, the distance from itself.
    private mutating func readLists(of data: UInt64, _ className: UInt64, isClassMethod: Bool) {
        guard let pointer = memory.pointer(2, of: data &+ pointers) else { return }
        guard pointer & 1 == 1 else { return readList(at: pointer, className, category: nil, isClassMethod) }
        let lists = pointer & ~1
        guard memory.number(UInt32.self, at: lists) == 8, let count = memory.number(UInt32.self, at: lists &+ 4) else { return }
        for index in 0..<UInt64(min(Int(count), allowance)) {
            let entry = lists &+ 8 &+ index &* 8
            guard let value = memory.number(UInt64.self, at: entry) else { return }
            allowance -= 1
            let list = entry &+ UInt64(bitPattern: Int64(bitPattern: value) >> 16)
            guard !categoryLists.contains(list), segments.contains(where: { $0.contains(list) }) else { continue }
            readList(at: list, className, category: nil, isClassMethod)
        }
    }

    private mutating func readList(at list: UInt64, _ className: UInt64, category: UInt64?, _ isClassMethod: Bool) {
        guard let head = memory.number(UInt32.self, at: list), let count = memory.number(UInt32.self, at: list &+ 4) else { return }
        let size = UInt64(head & 0xfffc)
        let isRelative = head & 0x8000_0000 != 0
        guard size >= (isRelative ? 12 : UInt64(3 * memory.width)) else { return }
        for index in 0..<UInt64(min(Int(count), max(0, allowance))) {
            let entry = list &+ 8 &+ index &* size
            allowance -= 1
            guard memory.addresses.range(entry, size) != nil else { return }
            let (selector, function) =
                isRelative
                ? relative(entry, countsFromBase: head & 0x4000_0000 != 0) : (memory.pointer(0, of: entry), memory.pointer(2, of: entry))
            guard let selector, let function else { continue }
            methods.append(
                ObjCMethods.Method(
                    function: isThumb ? function & ~1 : function, selector: selector, className: className, category: category,
                    isClassMethod: isClassMethod))
        }
    }

    private mutating func relative(_ entry: UInt64, countsFromBase: Bool) -> (selector: UInt64?, function: UInt64?) {
        func distance(_ offset: UInt64) -> UInt64? { memory.number(Int32.self, at: entry &+ offset).map { UInt64(bitPattern: Int64($0)) } }
        guard let name = distance(0), let function = distance(8) else { return (nil, nil) }
        let end = entry &+ 8 &+ function
        guard countsFromBase else { return (memory.pointer(at: entry &+ name), end) }
        let base = knownSelectorBase ?? selectorBase()
        knownSelectorBase = .some(base)
        return (base.map { $0 &+ name }, end)
    }
}
