package import BinaryPrimitives
package import CrashLogModel
package import Symbolication

/// Decides which code is the user's own, for every function on a stack and with the reason as text: the one
/// rule of readable reports, of failures in tests and of signatures.
///
/// The user's entries come first. Else code is not the user's own if its image is the system's or the
/// language's, if its path is where toolchains, package managers or build systems keep theirs, or if its file
/// is not in the repository.
package struct OwnCodeRule: Sendable {
    /// Result of a rule, and the reason for it.
    package struct Verdict: Sendable, Hashable {
        package var isOwn: Bool
        package var reason: String
    }

    private let entries: [(text: String, isOwn: Bool)]
    private let listsOwn: Bool

    /// - Parameters:
    ///   - own: names of images, or beginnings of paths (of sources or images, up to a component's
    ///     end; relative ones count from the repository's root), that are the user's own.
    ///   - notOwn: names and beginnings for code that is not. The entry with the longer path wins, and of equal
    ///     entries this one.
    package init(own: [String] = [], notOwn: [String] = []) {
        func entries(_ texts: [String], _ isOwn: Bool) -> [(text: String, isOwn: Bool)] {
            texts.map { $0 == "/" ? $0 : String($0.hasSuffix("/") ? $0.dropLast() : $0[...]) }.filter { !$0.isEmpty }.map { ($0, isOwn) }
        }
        self.entries = entries(notOwn, false) + entries(own, true)
        listsOwn = self.entries.contains(where: \.isOwn)
    }

    /// The user's entries as one text: equal for equal rules.
    package var text: String { entries.map { ($0.isOwn ? "+" : "-") + $0.text }.joined(separator: "\n") }

    /// The user's entry for one of these names of one thing; `nil` if there is none.
    package func userVerdict(_ names: [String?]) -> Verdict? {
        var best: (rest: Int, text: String, isOwn: Bool)?
        for entry in entries {
            for case let name? in names
            where name == entry.text || name.hasPrefix(entry.text.hasSuffix("/") ? entry.text : entry.text + "/") {
                // By what is left of the name, because an entry may be absolute or relative.
                let rest = name.utf8.count - entry.text.utf8.count
                if rest < best?.rest ?? .max { best = (rest, entry.text, entry.isOwn) }
            }
        }
        return best.map { Verdict(isOwn: $0.isOwn, reason: "“\($0.text)” is listed as \($0.isOwn ? "own" : "not own") code") }
    }

    /// Whether code is the user's own if no repository is known. Code about which nothing is known is the
    /// user's own, unless the user lists own code.
    package func isOwn(_ location: SourceLocation?, _ image: BinaryImage?) -> Bool {
        if let said = userVerdict([location?.file]) ?? userVerdict([image?.name, image?.path]) { return said.isOwn }
        if let image, foreignReason(image: image) != nil { return false }
        if let file = location?.file, generated(file) != nil || foreignReason(recorded: file) != nil { return false }
        return !listsOwn
    }

    // MARK: Images

    /// Images of systems, languages and test runners, by the beginnings of their file names: logs often give no
    /// more of an image than its name.
    private static let foreignImages: [(prefix: String, owner: String)] = [
        ("libswift", "Swift’s runtime"), ("libFoundation", "Swift’s runtime"), ("lib_Foundation", "Swift’s runtime"),
        ("libdispatch", "Swift’s runtime"),
        ("libBlocksRuntime", "Swift’s runtime"), ("libTesting", "Swift Testing"), ("Testing.framework", "Swift Testing"),
        ("libXCTest", "XCTest"), ("XCTest", "XCTest"),
        ("libc.so", "the C library"), ("libc-2", "the C library"), ("libm.so", "the C library"), ("libpthread", "the C library"),
        ("libdl.so", "the C library"),
        ("ld-linux", "the C library"), ("ld-musl", "the C library"), ("linux-vdso", "the kernel’s"), ("[vdso]", "the kernel’s"),
        ("libstdc++", "the C++ library"),
        // `libstd-d1237ef7159db0a2.so`: what rustc -C prefer-dynamic links.
        ("libstd-", "Rust’s standard library"),
        ("libc++", "the C++ library"), ("libgcc_s", "the compiler’s library"), ("libunwind", "the compiler’s library"),
        ("libasan", "a sanitizer’s library"),
        ("libtsan", "a sanitizer’s library"), ("libubsan", "a sanitizer’s library"), ("liblsan", "a sanitizer’s library"),
        ("libclang_rt", "a sanitizer’s library"),
        ("libgtest", "GoogleTest"), ("libgmock", "GoogleTest"), ("libsystem_", "the system’s"), ("dyld", "the system’s"),
        ("libobjc", "the system’s"),
    ]

    /// Directories of files that come with the system.
    private static let systemFolders = ["/usr/lib", "/usr/libexec", "/lib/", "/lib64/", "/System/", "/Library/Apple/", "/private/preboot/"]

    /// Libraries of Windows, of its C and C++ runtimes and of .NET, without `.dll` and in small letters.
    private static let windowsLibraries: Set<String> = [
        "ntdll", "kernel32", "kernelbase", "user32", "win32u", "gdi32", "gdi32full", "gdiplus", "combase", "ole32", "oleaut32", "rpcrt4",
        "advapi32", "sechost", "shell32", "shlwapi", "shcore", "comctl32", "comdlg32", "uxtheme", "dwmapi", "imm32", "msctf", "ws2_32",
        "mswsock", "winhttp", "wininet", "crypt32", "bcrypt", "ncrypt", "dbghelp", "setupapi", "winmm", "dxgi", "d3d9", "d3d11", "d3d12",
        "d3d12core", "opengl32", "xinput1_4", "ucrtbase", "ucrtbased", "msvcrt", "coreclr", "clr", "clrjit", "mscorlib", "mscorwks",
        "verifier",
        "wow64", "wow64cpu", "wow64win", "apphelp",
    ]
    /// With a version behind: `msvcp140`, `vcruntime140_1d`, `mfc140u`.
    private static let windowsRuntimes = ["msvcp", "msvcr", "vcruntime", "concrt", "mfc1", "atl1", "api-ms-win-"]

    private static func isWindows(_ image: BinaryImage) -> Bool {
        let name = image.name.lowercased()
        if name.hasSuffix(".dll") {
            let stem = String(name.dropLast(4))
            if windowsLibraries.contains(stem) || windowsRuntimes.contains(where: stem.hasPrefix) { return true }
        }
        guard let path = image.path, path.utf8.dropFirst().first == UInt8(ascii: ":") else { return false }
        return path.dropFirst(2).lowercased().hasPrefix("\\windows\\")
    }

    /// Why an image's code is not the user's own; `nil` where that cannot be determined.
    package func foreignReason(image: BinaryImage) -> String? {
        if Self.isWindows(image) { return "\(image.name) is Windows’" }
        if let entry = Self.foreignImages.first(where: { image.name.hasPrefix($0.prefix) }) { return "\(image.name) is \(entry.owner)" }
        guard let path = image.path, Self.systemFolders.contains(where: path.hasPrefix) else { return nil }
        return "\(path) is the system’s"
    }

    // MARK: Files

    /// Why a line cannot be code that a person wrote; `nil` if it can be.
    package func generatedCodeReason(_ location: SourceLocation) -> String? {
        generated(location.file) ?? (location.line <= 0 ? "the compiler attributes it to no line" : nil)
    }

    /// Why a file was not written by a person; `nil` if it may have been.
    private func generated(_ file: String) -> String? {
        // Expansions are buffers of the compiler, or files that it wrote for the debugger
        // (`/tmp/swift-generated-sources/@__swiftmacro_…`).
        if file.contains("@__swiftmacro_") || file.contains("swift-generated-sources/") { return "it is the expansion of a macro" }
        let name = Path.name(of: file)
        guard name.hasPrefix("<"), name.hasSuffix(">") else { return nil }
        return "it is \(name == "<compiler-generated>" ? "code that the compiler made" : "no file: \(name)")"
    }

    /// Directories in which toolchains and systems keep their sources and headers.
    private static let foreignFolders: [(prefix: String, owner: String)] = [
        ("/rustc/", "Rust’s standard library"), ("/usr/include/", "a header of the system"), ("/usr/lib/", "the system’s"),
        ("/usr/src/", "the system’s"),
        ("/usr/local/go/", "Go’s standard library"), ("/usr/local/include/", "an installed header"), ("/opt/homebrew/", "Homebrew’s"),
        ("/nix/store/", "a package of Nix"),
        ("/Applications/Xcode", "Xcode’s"), ("/Library/Developer/", "Xcode’s"), ("/System/", "the system’s"),
        ("/home/build-user/swift", "Swift’s runtime"), ("/build/reproducible-path/", "a package of Debian"),
        ("/home/build-user/build/buildbot", "Swift’s runtime"), ("Swift/", "Swift’s standard library"), ("node:", "Node’s own"),
    ]
    private static let foreignParts: [(part: String, owner: String)] = [
        ("/include/c++/", "the C++ library’s header"), ("/lib/clang/", "the compiler’s header"), ("/lib/gcc/", "the compiler’s header"),
        ("/usr/lib/swift/", "Swift’s runtime"), ("/swift/stdlib/public/", "Swift’s standard library"),
        ("/library/std/src/", "Rust’s standard library"),
        ("/library/core/src/", "Rust’s standard library"), ("/library/alloc/src/", "Rust’s standard library"),
        ("/library/test/src/", "Rust’s test runner"),
        ("/.xctoolchain/", "Xcode’s"), ("/compiler-rt/lib/", "a sanitizer’s own"), ("/libsanitizer/", "a sanitizer’s own"),
        ("/swift-testing/Sources/", "Swift Testing"),
        ("/swift-corelibs-", "Swift’s runtime"), (".derived/runner.swift", "SwiftPM’s test runner"),
        ("/vctools/crt/", "Microsoft’s C++ library"), ("minkernel/crts/", "Microsoft’s C library"),
    ]
    /// Relative paths that Debian's and Bazel's builds write for their own and for fetched sources.
    private static let relativeFolders: [(prefix: String, owner: String)] = [
        ("external/", "a repository that Bazel fetched"), ("bazel-out/", "what Bazel built"),
        ("./external/", "a repository that Bazel fetched"),
        ("../sysdeps/", "the C library"), ("./sysdeps/", "the C library"), ("./nptl/", "the C library"), ("./stdlib/", "the C library"),
        ("./csu/", "the C library"),
    ]

    /// Why a source file outside of the repository is not the user's own, by its path; `nil` where
    /// that cannot be determined.
    /// - Parameter recorded: the path as the compiler wrote it.
    package func foreignReason(recorded: String) -> String? {
        if let entry = Self.foreignFolders.first(where: { recorded.hasPrefix($0.prefix) }) { return entry.owner }
        // By bytes: this is called for every frame of thousands of logs.
        var bytes = Array(recorded.utf8)
        var path = recorded
        if bytes.contains(UInt8(ascii: "\\")) {
            // Windows' paths.
            for index in bytes.indices where bytes[index] == UInt8(ascii: "\\") { bytes[index] = UInt8(ascii: "/") }
            path = String(decoding: bytes, as: UTF8.self)
        }
        if let entry = Self.foreignParts.first(where: { bytes.span.contains($0.part) }) { return entry.owner }
        if PythonLibrary.contains(path) { return "Python’s standard library" }
        return foreignReason(inside: CompileTimePrefix.removed(from: path))
    }

    /// Why the code of a file in the repository is not the user's own: directories above the root do not count,
    /// because the repository may itself be checked out anywhere.
    /// - Parameter path: path from the root of the repository.
    package func foreignReason(inside path: String) -> String? {
        if let entry = Self.relativeFolders.first(where: { path.hasPrefix($0.prefix) }) { return entry.owner }
        return DependencyFolders.reason(path: path).map { "\($0.reason) (\($0.folder))" }
    }

    // MARK: Frames of a report

    /// The function in which the cause is most likely: the first one of the user's own code with a line, of the stack of
    /// a chain's first error, of the exception's stack if there is one, then of the crashed threads, or of the first thread
    /// if none crashed.
    /// If no function has a line, the first with a name. A function that calls `__stack_chk_fail` needs no line: its stack was
    /// overwritten, and clang gives that call none.
    package func firstFrame(of report: SymbolicatedReport) -> (function: FrameResult.Function, image: String)? {
        let threads = Array(zip(report.report.threads, report.threads))
        var stacks = report.rootCauseStack.map { [($0.thread, $0.outcomes)] } ?? []
        stacks += report.report.exceptionBacktrace.map { [($0, report.exceptionBacktrace)] } ?? []
        stacks += threads.filter(\.0.crashed)
        if !threads.contains(where: \.0.crashed) { stacks += threads.prefix(1) }
        var named: (function: FrameResult.Function, image: String)?
        for functions in stacks.map({ self.functions(of: $0, $1, report.report.format) }) {
            // The functions that raised the error are last.
            var callee = functions.last?.function?.name
            for candidate in functions {
                defer { callee = candidate.function?.name }
                // Before a caller, a row that the log itself gives a line.
                if let printed = candidate.printed { return named ?? (printed, candidate.image) }
                guard let function = candidate.function, isOwn(function.location, candidate.outcome, report) else { continue }
                if let location = function.location, generatedCodeReason(location) == nil || callee == "__stack_chk_fail" {
                    return (function, candidate.image)
                }
                if named == nil { named = (function, candidate.image) }
            }
        }
        return named
    }

    /// - printed: of a row in no known image, what the log itself says: its line, which nothing shows to be others' code.
    private typealias StackFunction = (
        function: FrameResult.Function?, image: String, outcome: FrameOutcome, printed: FrameResult.Function?
    )

    /// Returns the functions of a stack, innermost first. Those that raised the error, or that a signal called, are the
    /// last: they may be the user's own as well.
    private func functions(of thread: ThreadTrace, _ outcomes: [FrameOutcome], _ format: String) -> [StackFunction] {
        var functions: [StackFunction] = []
        var known: [Machinery.Function] = []
        let rows = Self.innermostFirst(thread, outcomes)
        for (index, (frame, outcome)) in rows.enumerated() where !frame.isUnreliable {
            guard known.count < Self.maxFunctions else { break }
            guard let result = outcome.resolved else {
                // A row of an inlined call is in the result of the frame that holds it, if that has one.
                let holder = rows[index...].prefix(Self.maxFunctions).first { !$0.0.isInlined }?.1 ?? outcome
                var printed: FrameResult.Function?
                if case .unresolved = holder.result, holder.image == nil, frame.image == nil, let name = frame.printed?.name,
                    let location = frame.printed?.location, generatedCodeReason(location) == nil,
                    foreignReason(recorded: location.file) == nil
                {
                    printed = FrameResult.Function(name: name, mangledName: name, offset: nil, isInlined: false, location: location)
                }
                functions.append((nil, frame.imageName.map { Path.name(of: $0) } ?? "", outcome, printed))
                known.append(Machinery.Function(frame.printed?.name ?? "", file: frame.printed?.location?.file, module: ""))
                continue
            }
            for function in result.functions {
                functions.append((function, result.imageName, outcome, nil))
                known.append(Machinery.Function(function.name, file: function.location?.file, module: result.imageName))
            }
        }
        let machinery = Machinery(known, format: format)
        for index in functions.indices where machinery.isForeign(index) { functions[index].printed = nil }
        let beginning = thread.isCallTree ? 0 : machinery.beginning
        return Array(functions[beginning...] + functions[..<beginning])
    }

    /// Maximum number of functions of one stack that are examined. More are a recursion.
    private static let maxFunctions = 512

    /// Whether a function of a result is the user's own.
    func isOwn(_ location: SourceLocation?, _ outcome: FrameOutcome, _ report: SymbolicatedReport) -> Bool {
        guard let image = outcome.image, report.images.indices.contains(image) else { return false }
        return isOwn(location, report.images[image].image)
    }

    /// A stack as it is, from the call on that a signal interrupted; of a call tree the heaviest
    /// branch, from its end.
    private static func innermostFirst(_ thread: ThreadTrace, _ outcomes: [FrameOutcome]) -> [(Frame, FrameOutcome)] {
        let rows = Array(zip(thread.frames, outcomes))
        guard thread.isCallTree else { return Array(rows.dropFirst(thread.interruptedIndex)) }
        return HeaviestBranch(thread.frames).rows.reversed().filter(rows.indices.contains).map { rows[$0] }
    }
}
