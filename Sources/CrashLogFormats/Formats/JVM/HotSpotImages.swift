internal import BinaryPrimitives
internal import CrashLogModel

/// The rows below `Dynamic libraries:` (`os::print_dll_info` of each system):
///
///     7fde045e9000-7fde052dd000 r-xp 00000000 fd:00 17610      /usr/lib/…/libjvm.so          Linux: /proc/self/maps
///     0x0000000197add000 	/System/Library/…/AppKit                                            macOS, Solaris: where each begins
///     0x0000000052380000 - 0x0000000052bda000 	E:\path\java\bin\server\jvm.dll              Windows
///       text: 0x0900000000000000 - 0x0900000000000100, data: 0x… - 0x… /usr/lib/libc.a(shr_64.o)     AIX
struct HotSpotImages {
    private var map = MemoryMap()
    private var listed: [BinaryImage] = []

    mutating func add(_ line: Span<UInt8>) {
        if let row = MemoryMapRow(line) { return map.add(row) }
        guard listed.count < Limits.standard.images, let image = HotSpotImages.image(line) else { return }
        listed.append(image)
    }

    private static func image(_ line: Span<UInt8>) -> BinaryImage? {
        var rest = line
        rest.skipBlanks()
        _ = rest.consume("* ")
        let isAIX = rest.consume("text: ")
        guard let base = rest.readAddress() else { return nil }
        var size: UInt64?
        if rest.consume(" - ") {
            guard let end = rest.readAddress(), end > base else { return nil }
            size = end - base
        }
        if isAIX {
            guard rest.consume(", data: "), rest.readAddress() != nil, rest.consume(" - "), rest.readAddress() != nil else { return nil }
        }
        let path = rest.trimmed()
        guard path.count > 0, rest.count > path.count else { return nil }
        return BinaryImage(name: Path.foreignName(of: path.text), path: path.text, base: RuntimeAddress(base), size: size)
    }

    /// Gives the frames of a stack their images.
    ///
    /// A row names its file without the folder and gives the offset from the file's first mapped
    /// byte (on Linux from the lowest loaded segment, `address_to_library_name_callback` of
    /// `os_linux.cpp`; elsewhere `dli_fbase`, and the module's handle on Windows). So a file that
    /// the list lacks, as lists that were cut do, is an image without a base; and so is one of two
    /// files of the same name, because the row does not say which.
    func assign(to report: inout CrashReport, limit: Int = Limits.standard.images) {
        var table = ImageTable(map.all + listed, limit: limit)
        var byName: [String: [Int]] = [:]
        for (index, image) in table.images.enumerated() { byName[image.name, default: []].append(index) }
        report.changeStacks { stack in
            for index in stack.frames.indices {
                guard let name = stack.frames[index].imageName, let offset = stack.frames[index].imageOffset else { continue }
                if let found = byName[name], found.count == 1, let base = table.images[found[0]].base {
                    stack.frames[index].image = found[0]
                    stack.frames[index].address = base.advanced(by: offset.value)
                } else {
                    stack.frames[index].image = table.index(ofImageNamed: name, id: nil)
                }
            }
        }
        table.assign(to: &report)
    }
}
