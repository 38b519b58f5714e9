internal import BinaryPrimitives
internal import ObjectFiles

/// A whole GSYM file in memory.
package struct GSYMImage: Sendable {
    /// Its parts, to be written one after the other.
    package let parts: [[UInt8]]
    /// How many functions it lists.
    package let functionCount: Int
    /// Debug information that could not be read, one sentence each.
    package let problems: [String]

    /// Bytes of the file.
    package var size: Int { parts.reduce(0) { $0 + $1.count } }

    /// - Throws: `ObjectFileError` if the identity or a table is too large for the format.
    init(_ object: ObjectFile, _ work: GSYMCollector) throws(ObjectFileError) {
        let order = object.description.byteOrder
        let base = object.baseAddress.value
        let identity = object.identity?.bytes ?? []
        guard identity.count <= GSYMLayout.identitySize else {
            throw ObjectFileError(.unsupported, path: object.path, "its build ID has \(identity.count) bytes: GSYM has room for 20")
        }
        // Code before the image's base is in no offset.
        let functions = zip(work.layout.functions, work.descriptionStarts).filter { $0.0.range.lowerBound >= base }
        let greatest = functions.last.map { $0.0.range.lowerBound - base } ?? 0
        let offsetSize = greatest <= 0xff ? 1 : greatest <= 0xffff ? 2 : greatest <= 0xffff_ffff ? 4 : 8

        let firstAddress = GSYMLayout.aligned(GSYMLayout.headerSize, to: offsetSize)
        let firstOffset = GSYMLayout.aligned(firstAddress + functions.count * offsetSize, to: 4)
        let firstText = firstOffset + functions.count * 4 + 4 + work.tables.files.count * 8
        let firstDescription = GSYMLayout.aligned(firstText + work.tables.texts.count, to: 4)
        guard firstDescription + work.encoder.bytes.count <= Int(UInt32.max) else {
            throw ObjectFileError(
                .unsupported, path: object.path, "its GSYM file would be larger than 4 GB, which the format has no numbers for")
        }

        var head: [UInt8] = []
        head.reserveCapacity(firstText)
        head.put(GSYMLayout.magic, order)
        head.put(GSYMLayout.version, order)
        head += [UInt8(offsetSize), UInt8(identity.count)]
        head.put(base, order)
        head.put(UInt32(functions.count), order)
        head.put(UInt32(firstText), order)
        head.put(UInt32(work.tables.texts.count), order)
        head += identity + [UInt8](repeating: 0, count: GSYMLayout.identitySize - identity.count)
        head.pad(to: firstAddress)
        for (function, _) in functions {
            let offset = function.range.lowerBound - base
            switch offsetSize {
            case 1: head.put(UInt8(truncatingIfNeeded: offset), order)
            case 2: head.put(UInt16(truncatingIfNeeded: offset), order)
            case 4: head.put(UInt32(truncatingIfNeeded: offset), order)
            default: head.put(offset, order)
            }
        }
        head.pad(to: firstOffset)
        for (_, start) in functions { head.put(UInt32(firstDescription + start), order) }
        head.put(UInt32(work.tables.files.count), order)
        for file in work.tables.files {
            head.put(file.folder, order)
            head.put(file.name, order)
        }
        let filling = [UInt8](repeating: 0, count: firstDescription - firstText - work.tables.texts.count)
        parts = [head, work.tables.texts, filling, work.encoder.bytes]
        functionCount = functions.count
        problems = work.problems
    }
}

extension [UInt8] {
    fileprivate mutating func pad(to count: Int) { self += [UInt8](repeating: 0, count: Swift.max(0, count - self.count)) }
}
