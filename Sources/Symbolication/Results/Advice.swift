internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolFiles

/// Finds the usual source of an image's debug file, and describes how to get it.
package struct Advice: Sendable {
    /// Whether debuginfod servers were queried in this run.
    package var usesServers = false
    /// The servers that the user's environment names (`DEBUGINFOD_URLS`), which are not queried
    /// unless the user requests it.
    package var knownServers: String?
    /// Folders that are other machines' file systems.
    package var systemRoots: [String] = []

    package init() {}

    /// Steps for an image that lacks results or lines, the likeliest first.
    func remedies(for image: Explanation.Image, in report: CrashReport) -> [Explanation.Remedy] {
        let wanted = image.outcome.image
        if FilelessImage.isPartOfKernel(wanted.name) {
            return [Explanation.Remedy(sentence: "not a file: the kernel maps this page into every process")]
        }
        if image.isFileless { return [] }
        var remedies: [Explanation.Remedy] = []
        let hasDebugInformation = image.trail.locations.flatMap(\.files).contains { file in
            if case .fits(_, hasDebugInformation: true) = file.verdict { true } else { false }
        }
        if !hasDebugInformation {
            remedies += isApple(wanted, report) ? apple(wanted, report) : elf(wanted, image)
            if wanted.id == nil, image.outcome.status == .missing {
                let option = "--image \(ShellWord.quoted(wanted.name, isPath: false))=PATH"
                remedies.append(
                    Explanation.Remedy(
                        sentence: "No build ID in the log. To accept a file without that check: \(option)", command: .again(option)))
            }
        }
        for refusal in image.trail.refusals {
            switch refusal.reason {
            case .identityDiffers, .ageDiffers, .codeIdentifierDiffers:
                remedies.append(
                    Explanation.Remedy(
                        sentence: "\(refusal.path) is another build. To use it anyway, with its frames marked: --force",
                        command: .again("--force")))
            case .severalOfThatName:
                let option = "--image \(ShellWord.quoted(wanted.name, isPath: false))=PATH"
                // The right file is there: nothing else has to be found.
                remedies.insert(
                    Explanation.Remedy(sentence: "name the right file with --symbols, or \(option)", command: .again(option)), at: 0)
            case .otherArchitecture(wanted: nil, _):
                remedies.insert(Explanation.Remedy(sentence: "name the architecture with --arch", command: .again("--arch ARCH")), at: 0)
            default: continue
            }
            break
        }
        return remedies
    }

    /// Remedy for frames that are in no image of the log.
    static func remedyWithoutImage(_ frame: Frame) -> String? {
        guard frame.address != nil else { return nil }
        if let name = frame.imageName, FilelessImage.isFileless(named: name) {
            return "the list of the code that the process compiled while it ran, if it wrote one: --symbols perf-PID.map or jit-PID.dump"
        }
        return
            "--image NAME=PATH@BASE for each image that the log does not list; or the whole log, with its list of images or memory map"
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

    private func apple(_ image: BinaryImage, _ report: CrashReport) -> [Explanation.Remedy] {
        let path = image.path ?? ""
        let isSystem = ["/System/", "/usr/lib/", "/Library/Apple/", "/private/preboot/"].contains(where: path.hasPrefix)
        let uuid = image.id?.description
        if isSystem {
            let cache = report.sharedCache.map { " (its shared cache has the UUID \($0.id))" } ?? ""
            let own = "Apple's libraries: only the symbols of that build of the system fit\(cache)"
            let isMac = report.platform.map { $0.contains("macOS") || $0.contains("OS X") } ?? path.hasSuffix("/Versions/A/" + image.name)
            let system = report.platform.map { " of \($0)" } ?? ""
            if isMac {
                let sentence =
                    "\(own). A Mac with that system\(system) has them in its dyld shared cache: copy the files dyld_shared_cache_* from "
                    + "/System/Volumes/Preboot/Cryptexes/OS/System/Library/dyld (before macOS 13: /System/Library/dyld), and pass their directory with --symbols"
                return [Explanation.Remedy(sentence: sentence, command: .again("-s DIR"))]
            }
            let sentence =
                "\(own). Copy the device support symbols\(system) from a Mac that such a device was connected to "
                + "(~/Library/Developer/Xcode/iOS DeviceSupport/VERSION (BUILD)/Symbols), and pass that directory with --symbols"
            return [Explanation.Remedy(sentence: sentence, command: .again("-s DIR"))]
        }
        let which = uuid.map { "the dSYM with the UUID \($0)" } ?? "the dSYM of that build"
        let sentence =
            "\(which): Xcode writes it into DWARF_DSYM_FOLDER_PATH if DEBUG_INFORMATION_FORMAT is dwarf-with-dsym, and into NAME.xcarchive/dSYMs for archives. "
            + "Pass it, or a directory above it, with --symbols"
        let query = uuid.map { "mdfind \"com_apple_xcode_dsym_uuids == \($0)\"" }
        return [Explanation.Remedy(sentence: sentence, command: .again("-s PATH"))]
            + (query.map { [Explanation.Remedy(sentence: "on a Mac, this finds it:", command: .shell($0))] } ?? [])
    }

    private func elf(_ image: BinaryImage, _ explained: Explanation.Image) -> [Explanation.Remedy] {
        func pass(_ sentence: String) -> [Explanation.Remedy] { [Explanation.Remedy(sentence: sentence, command: .again("-s PATH"))] }
        if let file = image.debugFile {
            let id = image.debugIdentifier ?? "ID"
            let stem = file.lowercased().hasSuffix(".pdb") ? String(file.dropLast(4)) : file
            return pass(
                "Breakpad's symbols of \(file): dump_syms makes them. Pass the folder that has \(file)/\(id)/\(stem).sym with --symbols")
        }
        if KernelImage.isKernel(image.name) {
            return pass(
                "the debug package of exactly that kernel version (Debian and Ubuntu: linux-image-VERSION-dbg or -dbgsym; Fedora: kernel-debuginfo), or vmlinux and the .ko files of the build, with --symbols"
            )
        }
        if let path = image.path, ["/system/", "/apex/", "/vendor/", "/product/", "/odm/"].contains(where: path.hasPrefix) {
            return pass(
                "Android's library: the symbols of exactly that system build (out/target/product/NAME/symbols, or the symbols archive of its maker), with --symbols"
            )
        }
        if let path = image.path, path.hasPrefix("/data/app/") || path.hasPrefix("/data/data/") {
            return pass(
                "the app's unstripped library of that build (native-debug-symbols.zip, or the build's obj directory), with --symbols")
        }
        var remedies: [Explanation.Remedy] = []
        if let path = image.path, Self.isPackaged(path) {
            remedies.append(packaged(path))
        } else {
            // Only a file that is proven by its identifier is searched for by its path.
            let paths = image.id == nil ? [] : explained.trail.locations.flatMap(\.expected)
            let expected = paths.first.map { ", or put it at \($0)" } ?? ""
            remedies += pass("the unstripped file of that build, or its debug file: pass it with --symbols\(expected)")
        }
        guard image.id != nil, !usesServers else { return remedies }
        if let knownServers {
            // Nothing has to be installed or found.
            let sentence = "download it from \(knownServers) (DEBUGINFOD_URLS): --debuginfod"
            return [Explanation.Remedy(sentence: sentence, command: .again("--debuginfod"))] + remedies
        }
        let sentence =
            "download it from a debuginfod server of the distribution: --debuginfod URL (https://debuginfod.elfutils.org serves most distributions)"
        return remedies
            + [Explanation.Remedy(sentence: sentence, command: .again("--debuginfod https://debuginfod.elfutils.org"))]
    }

    private func packaged(_ path: String) -> Explanation.Remedy {
        guard let package = Self.package(owning: path, systemRoots: systemRoots) else {
            let word = ShellWord.quoted(path)
            return Explanation.Remedy(
                sentence:
                    "it is part of the distribution: install its debug package (Debian: find-dbgsym-packages \(word), then apt install; Fedora: dnf debuginfo-install \(word))"
            )
        }
        // glibc alone has a package of the old kind (debian/control of glibc:
        // `Package: libc6-dbg`).
        let debugPackage = ShellWord.quoted(package == "libc6" ? "libc6-dbg" : package + "-dbgsym", isPath: false)
        return Explanation.Remedy(
            sentence: "it is part of the package \(package): install \(debugPackage), or pass the files of it with --symbols",
            command: .shell("apt install \(debugPackage)"))
    }

    private static func isPackaged(_ path: String) -> Bool {
        ["/usr/lib", "/lib", "/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/", "/usr/libexec/"].contains(where: path.hasPrefix)
    }

    /// The package of a file by dpkg's lists, of this machine or of another file system:
    /// `/var/lib/dpkg/info/PACKAGE.list` holds a path a line.
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
    static func isKernel(_ name: String) -> Bool {
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
