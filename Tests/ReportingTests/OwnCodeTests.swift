import BinaryPrimitives
import CrashLogModel
import Reporting
import SymbolSources
import Symbolication
import Testing

/// The digest's first frame of the user's own code: by the same rule as annotations and signatures.
struct OwnCodeTests {
    private struct Row {
        var name: String
        var file: String?
        var line = 7
        var image = "App"
        var path: String?
        var isUnreliable = false
        /// The log itself has the name and the line, and no image is known.
        var isPrinted = false
    }

    /// The digest's line about own code, for one resolved function in each row.
    private func ownCode(_ rows: [Row], _ rule: OwnCodeRule = OwnCodeRule()) -> String? {
        var report = CrashReport(format: "test")
        var outcomes: [FrameOutcome] = []
        var images: [ImageOutcome] = []
        var frames: [Frame] = []
        for (index, row) in rows.enumerated() {
            let image = BinaryImage(name: row.image, path: row.path)
            report.images.append(image)
            images.append(ImageOutcome(image: image, status: .found))
            var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(0x1000), range: index..<index + 1)
            frame.isUnreliable = row.isUnreliable
            frames.append(frame)
            let location = row.file.map { SourceLocation(file: $0, line: row.line) }
            let function = FrameResult.Function(
                name: row.name, mangledName: row.name, offset: nil, isInlined: false, location: location)
            var outcome = FrameOutcome(.resolved(FrameResult(functions: [function], imageName: row.image), .debugInformation))
            outcome.image = index
            if row.isPrinted {
                frames[index].printed = PrintedSymbol(name: row.name, location: location)
                outcome = FrameOutcome(.unresolved("no image of the log holds this address"))
            }
            outcomes.append(outcome)
        }
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        var result = SymbolicatedReport(report: report)
        result.threads = [outcomes]
        result.images = images
        let none: [UInt8] = []
        let text = TextRenderer(ownCode: rule).render(SymbolicatedLog(path: "x", reports: [result]), source: none.span)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("Your code:") }.map { String($0.dropFirst("Your code:     ".count)) }
    }

    private let main = Row(name: "main", file: "/src/main.cpp")

    @Test func `a handler above the frame that a signal interrupted is passed over`() {
        let handler = Row(name: "on_crash", file: "/src/handler.cpp")
        let trampoline = Row(name: "__restore_rt", image: "libc.so.6")
        #expect(ownCode([handler, trampoline, main]) == "main in App (/src/main.cpp:7)")
        // Without another frame of the user's own the handler is the code.
        #expect(ownCode([handler, trampoline]) == "on_crash in App (/src/handler.cpp:7)")
    }

    /// A report that its runtime has symbolicated already: the rows have lines, and no images.
    @Test func `a row that the log itself gives a line goes before its caller`() {
        let printed = Row(name: "Cart::total()", file: "/src/shop.cpp", isPrinted: true)
        #expect(ownCode([printed, main]) == "Cart::total() (/src/shop.cpp:7)")
        let library = Row(name: "malloc", file: "/usr/src/glibc/malloc.c", isPrinted: true)
        #expect(ownCode([library, main]) == "main in App (/src/main.cpp:7)")
    }

    /// Code of others that was compiled or inlined into the program: what continuous integration
    /// passes over, the digest does, too.
    @Test(arguments: [
        "/usr/include/c++/12/bits/stl_vector.h", "/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs",
        "/src/node_modules/addon/addon.cc", "/src/third_party/zlib/inflate.c", "<compiler-generated>", "/src/<stdin>",
        "/build/reproducible-path/python3.11-3.11.2/build-static/../Objects/call.c",
        "/tmp/swift-generated-sources/@__swiftmacro_4Shop3addfMp_.swift",
    ])
    func `a file that others wrote is passed over`(file: String) {
        #expect(ownCode([Row(name: "theirs", file: file), main]) == "main in App (/src/main.cpp:7)")
    }

    /// A library without a path is known by its name; one in a place of its own by the names of
    /// those that languages bring.
    @Test(
        arguments: [
            ("libc.so.6", nil), ("libstdc++.so.6", "/opt/app/lib/libstdc++.so.6"),
            ("libstd-d1237ef7159db0a2.so", "/opt/app/libstd-d1237ef7159db0a2.so"),
            ("libswiftCore.so", "/opt/app/libswiftCore.so"),
            ("UIKitCore", "/System/Library/PrivateFrameworks/UIKitCore.framework/UIKitCore"),
        ] as [(String, String?)])
    func `a library of a language or a system is passed over`(name: String, path: String?) {
        #expect(ownCode([Row(name: "theirs", file: "/build/theirs.c", image: name, path: path), main]) == "main in App (/src/main.cpp:7)")
    }

    @Test func `a row that may be left over is passed over`() {
        #expect(ownCode([Row(name: "stale", file: "/src/stale.c", isUnreliable: true), main]) == "main in App (/src/main.cpp:7)")
    }

    @Test func `a function without a line comes after all with one`() {
        #expect(ownCode([Row(name: "plain"), Row(name: "made", file: "/src/made.c", line: 0), main]) == "main in App (/src/main.cpp:7)")
        #expect(ownCode([Row(name: "plain"), Row(name: "made", file: "/src/made.c", line: 0)]) == "plain in App")
    }

    /// Code that no rule mentions is own code only if no rule lists own code.
    @Test func `what the user lists counts before anything`() {
        let kit = Row(name: "kit", file: "/src/kit/kit.cpp", image: "Kit")
        #expect(ownCode([kit, main]) == "kit in Kit (/src/kit/kit.cpp:7)")
        #expect(ownCode([kit, main], OwnCodeRule(own: ["App"])) == "main in App (/src/main.cpp:7)")
        #expect(ownCode([kit, main], OwnCodeRule(own: ["/src"])) == "kit in Kit (/src/kit/kit.cpp:7)")
        #expect(ownCode([kit, main], OwnCodeRule(own: ["/src"], notOwn: ["/src/kit"])) == "main in App (/src/main.cpp:7)")
        #expect(ownCode([kit, main], OwnCodeRule(notOwn: ["Kit"])) == "main in App (/src/main.cpp:7)")
        let system = Row(name: "theirs", file: "/usr/src/libc/x.c", image: "libc.so.6")
        #expect(ownCode([system, main], OwnCodeRule(own: ["libc.so.6"])) == "theirs in libc.so.6 (/usr/src/libc/x.c:7)")
    }
}

/// Whose a library is, by its file's name.
struct OwnCodeImageTests {
    /// rustc names its shared standard library `libstd-HASH.so` (`-C prefer-dynamic`); the C++
    /// library begins with the same letters.
    @Test(arguments: [
        ("libstd-d1237ef7159db0a2.so", "Rust’s standard library"), ("libstdc++.so.6.0.30", "the C++ library"),
        ("libswiftCore.so", "Swift’s runtime"), ("libstdx.so", nil), ("stdlib-tools", nil), ("harbor", nil),
    ])
    func `libraries of languages are nobody's own`(name: String, owner: String?) {
        let reason = OwnCodeRule().foreignReason(image: BinaryImage(name: name, path: "/opt/app/\(name)"))
        #expect(reason == owner.map { "\(name) is \($0)" })
    }

    /// Names as `lm` of a debugger and minidump_stackwalk print them. https://learn.microsoft.com/windows/win32/apiindex has the system's.
    @Test(
        arguments: [
            ("ntdll.dll", nil, true), ("USER32.dll", nil, true), ("ucrtbase.dll", nil, true), ("MSVCP140.dll", nil, true),
            ("VCRUNTIME140_1.dll", nil, true), ("igd10iumd64.dll", "C:\\Windows\\System32\\DriverStore\\igd10iumd64.dll", true),
            ("shop.dll", "C:\\Program Files\\Shop\\shop.dll", false), ("user32x.dll", nil, false),
            ("shop.exe", "D:\\windows-build\\shop.exe", false),
        ] as [(String, String?, Bool)])
    func `libraries of Windows are nobody's own`(name: String, path: String?, isForeign: Bool) {
        #expect((OwnCodeRule().foreignReason(image: BinaryImage(name: name, path: path)) != nil) == isForeign)
    }
}

/// Where interpreters keep Python's standard library: `sysconfig.get_path("stdlib")` of each, and the traces of real logs.
struct PythonLibraryTests {
    private static func reason(_ path: String) -> String? { OwnCodeRule().foreignReason(recorded: path) }

    @Test(arguments: [
        "/usr/local/lib/python3.12/json/decoder.py", "/usr/lib64/python3.9/json/decoder.py", "/var/lang/lib/python3.12/json/decoder.py",
        "/opt/conda/lib/python3.11/json/decoder.py", "/home/al/miniconda3/envs/shop/lib/python3.10/json/decoder.py",
        "/home/dev/.pyenv/versions/3.11.7/lib/python3.11/json/decoder.py",
        "/home/al/.local/share/uv/python/cpython-3.13.0-linux-x86_64-gnu/lib/python3.13t/json/decoder.py",
        "/Library/Frameworks/Python.framework/Versions/3.12/lib/python3.12/json/decoder.py", "/opt/pypy/lib/pypy3.10/json/decoder.py",
        "/opt/pypy/lib-python/3/json/decoder.py", "C:\\Python311\\Lib\\json\\decoder.py", "C:\\Python311\\Lib/json/decoder.py",
        "C:\\Program Files\\Python312\\Lib\\json\\decoder.py",
        "C:\\Users\\al\\AppData\\Local\\Programs\\Python\\Python310-32\\lib\\json\\decoder.py",
        "C:\\ProgramData\\Anaconda3\\lib\\json\\decoder.py", "C:\\Users\\al\\miniconda3\\envs\\shop\\Lib\\json\\decoder.py",
        "C:\\Users\\al\\.pyenv\\pyenv-win\\versions\\3.11.4\\Lib\\json\\decoder.py",
        "C:\\Program Files\\WindowsApps\\PythonSoftwareFoundation.Python.3.11_3.11.1264.0_x64__qbz5n2kfra8p0\\Lib\\json\\decoder.py",
        "D:\\app\\python311.zip\\json\\decoder.py", "/app/python312.zip/json/decoder.py",
    ])
    func `the standard library is nobody's own, wherever it is`(path: String) {
        #expect(Self.reason(path) == "Python’s standard library")
    }

    @Test(arguments: [
        "/usr/local/lib/python3.12/site-packages/requests/api.py", "/opt/conda/lib/python3.11/site-packages/requests/api.py",
        "C:\\Python311\\Lib\\site-packages\\requests\\api.py", "/var/lang/lib/python3.12/site-packages/requests/api.py",
    ])
    func `packages are nobody's own, and not the standard library`(path: String) {
        #expect(Self.reason(path) == "Python’s packages (site-packages)")
    }

    @Test(arguments: [
        "/app/json/decoder.py", "/var/task/handler.py", "/app/lib/python/decoder.py", "/app/lib/shop.py", "/app/lib/python3.py",
        "C:\\work\\PythonShop\\Lib\\shop.py", "C:\\work\\shop\\lib\\shop.py", "/app/python311.zip.py", "/app/shop.zip/json/decoder.py",
    ])
    func `a program's own folders stay its own`(path: String) { #expect(Self.reason(path) == nil) }
}
