internal import BinaryPrimitives
internal import CrashLogModel

/// Kind of mapping that a frame's row names.
enum AndroidMapping: Hashable {
    /// An ELF file, or one inside an APK: `/data/app/x/base.apk!libfoo.so`.
    case library(path: String, name: String)
    /// An ELF file inside an APK of which the row only gives where it begins:
    /// `/data/app/x/base.apk (offset 0x2000)`.
    case unnamedLibrary(path: String, offset: UInt64)
    /// An ELF file inside an APK of which the row only gives the build ID:
    /// `/data/app/x/base.apk (BuildId: b225733a…)`.
    case identifiedLibrary(path: String, id: ImageID)
    /// Java: compiled ahead of time (`.oat`, `.odex`), bytecode (`.vdex`, `.jar`, `.dex`, `.apk`),
    /// or code that the JIT compiled. A `pc` there is not an address in a native library.
    case java(String)
    /// Memory without a file: `<unknown>`, `<anonymous:ee137000>`, `[anon:libc_malloc]`, `[vdso]`,
    /// `[vectors]`.
    case memory(String)

    init(_ row: AndroidRow) {
        let text = row.mapping
        let path = text.hasSuffix(" (deleted)") ? String(text.dropLast(" (deleted)".utf8.count)) : text
        if text.hasPrefix("[anon:dalvik")
            || text.contains("jit-c") && (text.hasPrefix("/memfd:") || text.hasPrefix("/dev/ashmem/") || text.hasPrefix("["))
        {
            self = .java(text)
        } else if text.isEmpty || text.hasPrefix("<") || text.hasPrefix("[") || text.hasPrefix("/dev/") || text.hasPrefix("/memfd:") {
            self = .memory(text.isEmpty ? "<unknown>" : text)
        } else if let mark = path.utf8.lastIndex(of: UInt8(ascii: "!")) {
            let library = String(path[path.utf8.index(after: mark)...])
            let container = String(path[..<mark])
            if AndroidMapping.isJava(library) {
                self = .java(text)
            } else if Path.foreignName(of: container) == Path.foreignName(of: library) {
                // `/system/lib/libc.so!libc.so (offset 0x1000)`: the library was mapped in two
                // parts; it is not inside a container.
                self = .library(path: container, name: Path.foreignName(of: container))
            } else {
                self = .library(path: path, name: Path.foreignName(of: library))
            }
        } else if path.hasSuffix(".apk") {
            // Bytecode is named with its method, `com.example.Shop.sell`; a library that the row
            // names a function of has a symbol.
            let isMethod =
                row.printed?.name.map { $0.contains(".") && !$0.contains("(") && !$0.contains("::") && !$0.hasPrefix("_Z") } ?? false
            if let offset = row.mapOffset, row.id != nil || !isMethod {
                self = .unnamedLibrary(path: path, offset: offset)
            } else if let id = row.id {
                self = .identifiedLibrary(path: path, id: id)
            } else {
                self = .java(text)
            }
        } else if AndroidMapping.isJava(path) {
            self = .java(text)
        } else {
            self = .library(path: path, name: Path.foreignName(of: path))
        }
    }

    private static func isJava(_ path: String) -> Bool {
        [".oat", ".odex", ".vdex", ".jar", ".dex", ".art"].contains { path.hasSuffix($0) }
    }

    /// The image that frames there belong to.
    var image: BinaryImage {
        switch self {
        case .library(let path, let name): return BinaryImage(name: name, path: path)
        case .unnamedLibrary(let path, let offset):
            var image = BinaryImage(name: Path.foreignName(of: path) + " (offset 0x" + hexadecimal(offset, digits: 0) + ")", path: path)
            image.startInFile = offset
            return image
        case .identifiedLibrary(let path, let id):
            return BinaryImage(file: path, id: id)
        case .java(let text), .memory(let text):
            var image = BinaryImage(name: text.hasPrefix("/") ? Path.foreignName(of: text) : text, path: text.hasPrefix("/") ? text : nil)
            image.isPlaceholder = true
            return image
        }
    }
}

/// The images of an Android log: its rows bring them along. Build IDs may be in the rows, in a list
/// of their own (xCrash), or in the memory map.
struct AndroidImages {
    private(set) var images: [BinaryImage] = []
    private var indices: [AndroidMapping: Int] = [:]
    /// How many frames lie where no ELF file is.
    private(set) var framesInJava = 0
    private(set) var framesInMemory = 0
    private(set) var framesInUnnamed = 0

    /// The image of a row.
    /// - Returns: `nil` beyond `Limits.images`.
    mutating func index(of row: AndroidRow, mapping: AndroidMapping) -> Int? {
        switch mapping {
        case .java: framesInJava += 1
        case .memory: framesInMemory += row.mapping.isEmpty ? 0 : 1
        case .unnamedLibrary: framesInUnnamed += row.id == nil ? 1 : 0
        case .library, .identifiedLibrary: break
        }
        // An address that is in no image.
        if case .memory = mapping, row.isAbsolute { return nil }
        guard let index = indices[mapping] ?? add(mapping) else { return nil }
        if images[index].id == nil { images[index].id = row.id }
        if images[index].architecture == nil, !images[index].isPlaceholder { images[index].architecture = row.architecture }
        return index
    }

    private mutating func add(_ mapping: AndroidMapping) -> Int? {
        guard images.count < Limits.standard.images else { return nil }
        indices[mapping] = images.count
        images.append(mapping.image)
        return images.count - 1
    }

    /// Sets what a list gives for the images of that path.
    mutating func note(path: String, id: ImageID?, base: RuntimeAddress?, size: UInt64?) {
        guard let index = indices[.library(path: path, name: Path.foreignName(of: path))] else { return }
        images[index].id = images[index].id ?? id
        images[index].base = images[index].base ?? base
        images[index].size = images[index].size ?? size
    }

    /// Sets the architecture of all images for which no row gave one. (Rows of translated code give
    /// one.)
    mutating func setArchitecture(_ architecture: Architecture?) {
        for index in images.indices where !images[index].isPlaceholder {
            images[index].architecture = images[index].architecture ?? architecture
        }
    }

    /// Notes for readers of the results about frames that no file can resolve.
    var notes: [String] {
        var notes: [String] = []
        if framesInJava > 0 {
            notes.append(AndroidImages.sentence(framesInJava, "in Java code, whose pc is not an address in a native library"))
        }
        if framesInMemory > 0 { notes.append(AndroidImages.sentence(framesInMemory, "in memory that belongs to no file")) }
        if framesInUnnamed > 0 {
            notes.append(
                AndroidImages.sentence(
                    framesInUnnamed,
                    "in libraries inside an APK, for which the log has neither a name nor a build ID: pass the APK with --symbols"))
        }
        return notes
    }

    private static func sentence(_ count: Int, _ description: String) -> String {
        "\(count) \(count == 1 ? "frame is" : "frames are") \(description)"
    }
}
