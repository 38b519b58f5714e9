internal import BinaryPrimitives
internal import CrashReports
internal import SymbolFiles

/// Knows where the field keeps the debug file of an image, and says how to get it.
public struct Advice: Sendable {
    /// Whether debuginfod servers were asked in this run.
    public var asksServers = false
    /// The servers that the user's environment names (`DEBUGINFOD_URLS`), which are not asked unless the user says so.
    public var knownServers: String?
    /// Folders that are other machines' file systems.
    public var systemRoots: [String] = []

    public init() {}

    /// What to do about an image that lacks answers, or lines, the likeliest first.
    func remedies(for image: Explanation.Image, in report: CrashReport) -> [String] {
        let wanted = image.outcome.image
        if wanted.isPlaceholder { return [] }
        if Self.isPartOfKernel(wanted.name) { return ["not a file: the kernel maps this page into every process"] }
        var remedies: [String] = []
        let hasDebugInformation = image.trail.places.flatMap(\.files).contains { file in
            if case .fits(_, hasDebugInformation: true) = file.verdict { true } else { false }
        }
        if !hasDebugInformation {
            remedies += isApple(wanted, report) ? apple(wanted, report) : elf(wanted, image)
            if wanted.id == nil, image.outcome.status == .missing {
                remedies.append(
                    "No build ID in the log. To accept a file without that check: --image \(ShellWord.quoted(wanted.name, isPath: false))=PATH"
                )
            }
        }
        for refusal in image.trail.refusals {
            switch refusal.reason {
            case .identityDiffers:
                remedies.append("\(refusal.path) is another build. To use it anyway, with its frames marked: --force")
            case .severalOfThatName:
                remedies.append(
                    "name the right file with --symbols, or --image \(ShellWord.quoted(wanted.name, isPath: false))=PATH")
            case .otherArchitecture(wanted: nil, _): remedies.append("name the architecture with --arch")
            default: continue
            }
            break
        }
        return remedies
    }

    /// What would help for frames that lie in no image of the log.
    static func remedyWithoutImage(_ frame: Frame) -> String? {
        guard frame.address != nil else { return nil }
        return
            "the whole log, with its list of images or memory map, or --image NAME=PATH@BASE for each image that it does not list"
    }

    private static func isPartOfKernel(_ name: String) -> Bool {
        ["[vdso]", "linux-vdso.so.1", "linux-gate.so.1", "[vsyscall]", "[vectors]"].contains(name)
    }

    private func isApple(_ image: BinaryImage, _ report: CrashReport) -> Bool {
        if let platform = report.platform,
            ["macOS", "Mac OS", "iOS", "iPhone", "iPad", "tvOS", "watchOS", "visionOS", "OS X", "bridgeOS"].contains(
                where: platform.contains)
        {
            return true
        }
        return report.format.hasPrefix("apple-")
            || (image.id?.uuid != nil && image.path.map { $0.contains(".app/") || $0.hasPrefix("/System/") } ?? false)
    }

    private func apple(_ image: BinaryImage, _ report: CrashReport) -> [String] {
        let path = image.path ?? ""
        let isSystem = ["/System/", "/usr/lib/", "/Library/Apple/", "/private/preboot/"].contains(where: path.hasPrefix)
        let uuid = image.id?.description
        if isSystem {
            let own = "Apple's libraries: only the symbols of that build of the system fit"
            let isMac = report.platform.map { $0.contains("macOS") || $0.contains("OS X") } ?? path.hasSuffix("/Versions/A/" + image.name)
            let system = report.platform.map { " of \($0)" } ?? ""
            if isMac { return ["\(own). A Mac with that system\(system) has them in its dyld shared cache"] }
            return [
                "\(own). Copy the device support symbols\(system) from a Mac that such a device was connected to "
                    + "(~/Library/Developer/Xcode/iOS DeviceSupport/VERSION (BUILD)/Symbols), and pass that directory with --symbols"
            ]
        }
        let which = uuid.map { "the dSYM with the UUID \($0)" } ?? "the dSYM of that build"
        return [
            "\(which): Xcode writes it into DWARF_DSYM_FOLDER_PATH if DEBUG_INFORMATION_FORMAT is dwarf-with-dsym, and into NAME.xcarchive/dSYMs for archives. "
                + "Pass it, or a directory above it, with --symbols"
        ]
            + (uuid.map { ["on a Mac, find it with: mdfind \"com_apple_xcode_dsym_uuids == \($0)\""] } ?? [])
    }

    private func elf(_ image: BinaryImage, _ explained: Explanation.Image) -> [String] {
        var remedies: [String] = []
        if KernelImage.isOne(image.name) {
            return [
                "the debug package of exactly that kernel version (Debian and Ubuntu: linux-image-VERSION-dbg or -dbgsym; Fedora: kernel-debuginfo), or vmlinux and the .ko files of the build, with --symbols"
            ]
        }
        if let path = image.path, ["/system/", "/apex/", "/vendor/", "/product/", "/odm/"].contains(where: path.hasPrefix) {
            return [
                "Android's library: the symbols of exactly that system build (out/target/product/NAME/symbols, or the symbols archive of its maker), with --symbols"
            ]
        }
        if let path = image.path, path.hasPrefix("/data/app/") || path.hasPrefix("/data/data/") {
            return [
                "the app's unstripped library of that build (native-debug-symbols.zip, or the build's obj directory), with --symbols"
            ]
        }
        if let path = image.path, Self.isPackaged(path) {
            if let package = Self.package(owning: path, systemRoots: systemRoots) {
                remedies.append(
                    "it is part of the package \(package): install \(ShellWord.quoted(package + "-dbgsym", isPath: false)) (or its -dbg package), or pass the files of it with --symbols"
                )
            } else {
                let word = ShellWord.quoted(path)
                remedies.append(
                    "it is part of the distribution: install its debug package (Debian: find-dbgsym-packages \(word), then apt install; Fedora: dnf debuginfo-install \(word))"
                )
            }
        } else {
            // Only what its identity proves is looked for by its place.
            let paths = image.id == nil ? [] : explained.trail.places.flatMap(\.expected)
            let expected = paths.first.map { ", or put it at \($0)" } ?? ""
            remedies.append("the unstripped file of that build, or its debug file: pass it with --symbols\(expected)")
        }
        if image.id != nil, !asksServers {
            let known = knownServers.map { "download it from \($0) (DEBUGINFOD_URLS): --debuginfod" }
            remedies.append(
                known
                    ?? "download it from a debuginfod server of the distribution: --debuginfod URL (https://debuginfod.elfutils.org serves most distributions)"
            )
        }
        return remedies
    }

    private static func isPackaged(_ path: String) -> Bool {
        ["/usr/lib", "/lib", "/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/", "/usr/libexec/"].contains(where: path.hasPrefix)
    }

    /// The package that a file belongs to by dpkg's lists, of this machine or of another's file system: `/var/lib/dpkg/info/PACKAGE.list` holds a path a line.
    private static func package(owning path: String, systemRoots: [String]) -> String? {
        // `/lib` is a link to `/usr/lib` since Debian 12, and lists have either.
        let spellings = path.hasPrefix("/usr/") ? [path, String(path.dropFirst(4))] : [path, "/usr" + path]
        for root in systemRoots + ["/"] {
            let folder = Path.join(root, "var/lib/dpkg/info")
            for entry in Directory.entries(in: folder, limit: 50_000) where entry.name.hasSuffix(".list") {
                guard let file = try? MappedFile(path: Path.join(folder, entry.name)), file.size < 16 << 20 else { continue }
                let owns = file.withBytes { bytes in spellings.contains { bytes.holdsLine($0) } }
                // `libc6:amd64.list`
                if owns { return String(entry.name.dropLast(".list".count).prefix { $0 != ":" }) }
            }
        }
        return nil
    }
}

/// The images of Linux' kernel, by their names in logs.
private enum KernelImage {
    static func isOne(_ name: String) -> Bool {
        name == "vmlinux" || name.hasPrefix("vmlinux-") || name == "[kernel.kallsyms]" || name.hasSuffix(".ko")
    }
}

extension RawSpan {
    /// Whether one of the lines is this text.
    fileprivate func holdsLine(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        var start = 0
        var index = 0
        var isSame = true
        while index <= byteCount {
            if index == byteCount || byte(at: index) == 10 {
                if isSame, index - start == wanted.count { return true }
                start = index + 1
                isSame = true
            } else if isSame {
                let position = index - start
                isSame = position < wanted.count && byte(at: index) == wanted[position]
            }
            index += 1
        }
        return false
    }
}
