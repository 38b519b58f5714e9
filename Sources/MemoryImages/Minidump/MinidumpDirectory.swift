internal import BinaryPrimitives

/// Directory of a minidump's streams (Microsoft, `minidumpapiset.h`; Breakpad, `minidump_format.h`).
///
/// The file begins with `MDMP`, a version, the number of streams, and the offset of their directory; each
/// entry there has a type, a size and an offset.
struct MinidumpDirectory {
    let order: ByteOrder
    let time: UInt32
    /// Locations of streams by type, in the order of the directory.
    private(set) var locations: [UInt32: [Location]] = [:]
    /// Number of entries that are declared but not in the file.
    private(set) var missing = 0

    /// A range of the file, which may end before it does.
    struct Location: Hashable {
        var offset: UInt64
        var size: UInt64
    }

    enum Stream: UInt32 {
        case threads = 3
        case modules = 4
        case memory = 5
        case exception = 6
        case system = 7
        case memory64 = 9
        case unloadedModules = 14
        case process = 15
        case memoryInformation = 16
        case threadNames = 24
        case crashpad = 0x4350_0001
        case breakpad = 0x4767_0001
        case assertion = 0x4767_0002
        case linuxStatus = 0x4767_0004
        case linuxRelease = 0x4767_0005
        case linuxCommandLine = 0x4767_0006
        case linuxAuxiliaryVector = 0x4767_0008
        case linuxMaps = 0x4767_0009
        case macCrashInformation = 0x4d7a_0001
    }

    /// Maximum number of streams of one dump; dumps of Windows have some twenty.
    private static let maxStreams = 4096

    init(_ bytes: RawSpan) throws(MinidumpError) {
        switch try? bytes.value(UInt32.self, at: 0, .littleEndian) {
        case 0x504d_444d: order = .littleEndian
        case 0x4d44_4d50: order = .bigEndian
        default: throw .notAMinidump
        }
        guard let count = try? bytes.value(UInt32.self, at: 8, order), let start = try? bytes.value(UInt32.self, at: 12, order),
            let time = try? bytes.value(UInt32.self, at: 20, order), bytes.byteCount >= 32, var entries = try? bytes.from(UInt64(start))
        else { throw .cut }
        self.time = time
        var left = Int(clamping: count)
        var kept = 0
        while left > 0, kept < Self.maxStreams,
            let type = try? entries.read(UInt32.self, order), let size = try? entries.read(UInt32.self, order),
            let offset = try? entries.read(UInt32.self, order)
        {
            left -= 1
            // Writers reserve entries for streams that they then do not write.
            guard type != 0 else { continue }
            kept += 1
            locations[type, default: []].append(Location(offset: UInt64(offset), size: UInt64(size)))
        }
        missing = left
    }

    func all(_ stream: Stream) -> [Location] { locations[stream.rawValue] ?? [] }
}
