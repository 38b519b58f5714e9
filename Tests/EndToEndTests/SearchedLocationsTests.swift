import Foundation
import TestSupport
import Testing

/// Every location in which a debug file may be, in three states: the image's file is there, the
/// file of another build is there, or no file. The files come from the toolchain's own tools; a
/// wrong file is the optimised build of the same program, or the image of another fixture, at the
/// path of the right one.
struct SearchedLocationsTests {
    /// A location: how the files are laid out below a folder, and the options that name it to the
    /// program.
    struct Location: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isMachO = false
        /// Shell commands that put `$DEBUG` (debug information alone), `$BINARY` (without it, with
        /// a debug link) or `$DSYM` (a bundle) at their location. `$HEAD` and `$TAIL` are the first
        /// two digits of the identity and the rest, `$ID` all of them, `$UPPER` in capitals.
        var layout: String
        var options: [String] = ["--symbols", "FOLDER/place"]
        var environment: [String: String] = [:]
        /// Name of the location in JSON.
        var origin: String

        init(
            _ name: String, origin: String, isMachO: Bool = false, options: [String]? = nil, environment: [String: String] = [:],
            _ layout: String
        ) {
            testDescription = name
            self.layout = layout
            self.origin = origin
            self.isMachO = isMachO
            self.environment = environment
            if let options { self.options = options }
        }
    }

    static let locations: [Location] = [
        Location(
            "a file that was given", origin: "given", options: ["--symbols", "FOLDER/place/Demo.debug"], "cp $DEBUG place/Demo.debug"),
        Location(
            "a dSYM that was given", origin: "given", isMachO: true, options: ["--symbols", "FOLDER/place/Demo.dSYM"],
            "cp -r $DSYM place/Demo.dSYM"),
        Location(
            "the dSYM beside a binary that was given", origin: "beside-binary", isMachO: true, options: ["--symbols", "FOLDER/place/Demo"],
            "cp $BINARY place/Demo; cp -r $DSYM place/Demo.dSYM"),
        Location("a tree", origin: "tree", "mkdir -p place/a/b; cp $DEBUG place/a/b/Demo.debug"),
        Location(
            "an Xcode archive", origin: "tree", isMachO: true,
            "mkdir -p place/Demo.xcarchive/dSYMs; cp -r $DSYM place/Demo.xcarchive/dSYMs/Demo.app.dSYM"),
        Location("GDB's build IDs", origin: "build-id", "mkdir -p place/.build-id/$HEAD; cp $DEBUG place/.build-id/$HEAD/$TAIL.debug"),
        Location("the unified layout", origin: "unified", "mkdir -p place/$HEAD/$TAIL; cp $DEBUG place/$HEAD/$TAIL/debuginfo"),
        Location(
            "the unified layout, Mach-O", origin: "unified", isMachO: true,
            "mkdir -p place/$HEAD/$TAIL; cp $MEMBER place/$HEAD/$TAIL/debuginfo"),
        Location(
            "a symbol store", origin: "symbol-server",
            "mkdir -p place/_.debug/elf-buildid-sym-$ID; cp $DEBUG place/_.debug/elf-buildid-sym-$ID/_.debug"),
        Location(
            "a symbol store of two tiers", origin: "symbol-server",
            "mkdir -p place/_./_.debug/elf-buildid-sym-$ID; touch place/index2.txt; cp $DEBUG place/_./_.debug/elf-buildid-sym-$ID/_.debug"),
        Location(
            "a symbol store, Mach-O", origin: "symbol-server", isMachO: true,
            "mkdir -p place/_.dwarf/mach-uuid-sym-$ID; cp $MEMBER place/_.dwarf/mach-uuid-sym-$ID/_.dwarf"),
        Location(
            "LLDB's mapped UUIDs", origin: "lldb-mapped", isMachO: true,
            """
            d=place/$(echo $UPPER | sed -E 's,^(....)(....)(....)(....)(....)(.*),\\1/\\2/\\3/\\4/\\5,'); mkdir -p $d; \
            cp -r $DSYM elsewhere.dSYM; ln -s $PWD/elsewhere.dSYM $d/$(echo $UPPER | cut -c21-)
            """),
        Location(
            "debuginfod's cache", origin: "debuginfod-cache", options: [], environment: ["DEBUGINFOD_CACHE_PATH": "FOLDER/place"],
            "mkdir -p place/$ID; cp $DEBUG place/$ID/debuginfo"),
        Location("the image's own path", origin: "image-path", options: [], "mkdir -p app; cp $FULL app/Demo"),
        Location(
            "the dSYM beside the image's own path", origin: "image-path", isMachO: true, options: [],
            "mkdir -p app; cp -r $DSYM app/Demo.dSYM"),
        Location(
            "another machine's root: the image", origin: "sysroot", options: ["--sysroot", "FOLDER/place"],
            "mkdir -p place/$PWD/app; cp $FULL place/$PWD/app/Demo"),
        Location(
            "another machine's root: build IDs", origin: "build-id", options: ["--sysroot", "FOLDER/place"],
            "mkdir -p place/usr/lib/debug/.build-id/$HEAD; cp $DEBUG place/usr/lib/debug/.build-id/$HEAD/$TAIL.debug"),
        Location(
            "another machine's root: by path", origin: "sysroot", options: ["--sysroot", "FOLDER/place"],
            "mkdir -p place/usr/lib/debug/$PWD/app; cp $DEBUG place/usr/lib/debug/$PWD/app/Demo.debug"),
        Location(
            "the debug link, beside the binary", origin: "debuglink", options: ["--symbols", "FOLDER/place/Demo"],
            "cp $BINARY place/Demo; cp $DEBUG place/linked.debug"),
        Location(
            "the debug link, in .debug", origin: "debuglink", options: ["--symbols", "FOLDER/place/Demo"],
            "cp $BINARY place/Demo; mkdir -p place/.debug; cp $DEBUG place/.debug/linked.debug"),
        Location(
            "the debug link, below another machine's root", origin: "debuglink", options: ["--sysroot", "FOLDER/place"],
            "mkdir -p place/$PWD/app place/usr/lib/debug/$PWD/app; cp $BINARY place/$PWD/app/Demo; cp $DEBUG place/usr/lib/debug/$PWD/app/linked.debug"
        ),
        Location(
            "Xcode's archives", origin: "xcode", isMachO: true, options: [], environment: ["HOME": "FOLDER/place"],
            "a=place/Library/Developer/Xcode/Archives/2026-11-21/Demo.xcarchive/dSYMs; mkdir -p $a; cp -r $DSYM $a/Demo.app.dSYM"),
        Location(
            "Xcode's derived data", origin: "xcode", isMachO: true, options: [], environment: ["HOME": "FOLDER/place"],
            "p=place/Library/Developer/Xcode/DerivedData/Demo-abc/Build/Products/Debug-iphoneos; mkdir -p $p; cp -r $DSYM $p/Demo.app.dSYM"),
        Location(
            "Xcode's device support", origin: "xcode", isMachO: true, options: [], environment: ["HOME": "FOLDER/place"],
            "s=\"place/Library/Developer/Xcode/iOS DeviceSupport/iPhone14,2 17.1 (21B74)/Symbols\"; mkdir -p \"$s/$PWD/app\"; cp $MEMBER \"$s/$PWD/app/Demo\""
        ),
    ]

    enum State: String, CaseIterable { case found, wrong, missing }

    private static let elf = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash")
    private static let otherELF = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash-O")
    private static let machO = TestPaths.fixture("binaries/DebugMap/out/arm64/meter")
    private static let otherMachO = TestPaths.fixture("binaries/DebugMap/out/x86_64/meter")

    /// A Sentry event with one frame, in `main` of the program that was at `FOLDER/app/Demo`.
    private func event(_ location: Location, folder: String) throws -> String {
        // nm says where `main` begins: ELF's is linked from 0 on, Mach-O's image from 0x100000000.
        let symbols = try Toolchain.run("llvm-nm", [location.isMachO ? Self.machO : Self.elf]).output.split(separator: "\n")
        let row = try #require(symbols.first { $0.hasSuffix(location.isMachO ? " T _main" : " T main") })
        let main = try #require(UInt64(row.split(separator: " ")[0], radix: 16))
        // A few bytes into the function: the event's only frame is where the process stopped or a
        // return address, and both are in it.
        let offset = (location.isMachO ? main - 0x1_0000_0000 : main) + 4
        let address = String(0x7000_0000 + offset, radix: 16)
        let id = try identity(location)
        return """
            {"event_id":"1","platform":"native","exception":{"values":[{"type":"SIGSEGV","stacktrace":{"frames":[{"instruction_addr":"0x\(address)"}]}}]},\
            "debug_meta":{"images":[{"type":"\(location.isMachO ? "macho" : "elf")","code_file":"\(folder)/app/Demo","code_id":"\(id)",\
            \(location.isMachO ? "\"debug_id\":\"\(uuid(id))\"," : "")"image_addr":"0x70000000","image_size":1048576}]}}
            """
    }

    private func uuid(_ id: String) -> String {
        var text = id.uppercased()
        for position in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: position)) }
        return text
    }

    /// As the fixtures' index records it, in lower case without dashes.
    private func identity(_ location: Location) throws -> String {
        let rows = String(decoding: try readFile(TestPaths.fixture("binaries/INDEX.tsv")), as: UTF8.self).split(separator: "\n")
        let name = location.isMachO ? "DebugMap/out/arm64/meter\t" : "SwiftCrash/out/SwiftCrash\t"
        let row = try #require(rows.first { $0.hasPrefix(name) })
        return row.split(separator: "\t", omittingEmptySubsequences: false)[5].replacing("-", with: "").lowercased()
    }

    private func explanation(_ location: Location, _ state: State, _ body: (RunResult, String) throws -> Void) throws {
        try withTemporaryFolder { link in
            // `PWD` of the shell and the log's path are without links.
            let folder = URL(fileURLWithPath: link).resolvingSymlinksInPath().path
            let id = try identity(location)
            let source = state == .wrong ? (location.isMachO ? Self.otherMachO : Self.otherELF) : (location.isMachO ? Self.machO : Self.elf)
            let prepare =
                location.isMachO
                ? """
                cp \(source) made/Demo; cp -r $(dirname \(source))/linked.dSYM made/Demo.dSYM; BINARY=made/Demo; DSYM=made/Demo.dSYM; \
                MEMBER=$DSYM/Contents/Resources/DWARF/Demo; mv $DSYM/Contents/Resources/DWARF/meter $MEMBER
                """
                : """
                cp \(source) made/Demo; FULL=made/Demo; DEBUG=made/linked.debug; BINARY=made/stripped; \
                llvm-objcopy --only-keep-debug \(source) $DEBUG; llvm-objcopy --strip-all --add-gnu-debuglink=$DEBUG \
                \(location.origin == "debuglink" ? Self.elf : source) $BINARY
                """
            let script = """
                set -e; mkdir -p made place; \(prepare)
                ID=\(id); UPPER=\(id.uppercased()); HEAD=\(id.prefix(2)); TAIL=\(id.dropFirst(2))
                \(location.layout)
                """
            if state == .missing {
                // The binary with the link has to be there; what it points to is not.
                let own =
                    location.origin == "debuglink"
                    ? script + "\nfind place -name linked.debug -delete" : "mkdir -p place; touch place/Demo.debug; rm place/Demo.debug"
                try run("sh", ["-c", own], directory: folder).requireSuccess()
            } else {
                try run("sh", ["-c", script], directory: folder).requireSuccess()
            }
            try writeFile(folder + "/event.json", Array(try event(location, folder: folder).utf8))
            var environment: [String: String?] = [
                "HOME": folder, "XDG_CACHE_HOME": nil as String?, "DEBUGINFOD_CACHE_PATH": nil as String?,
            ]
            for (name, value) in location.environment { environment[name] = value.replacing("FOLDER", with: folder) }
            let options = location.options.map { $0.replacing("FOLDER", with: folder) }
            try body(try cairn(["explain", "--format", "json", folder + "/event.json"] + options, environment: environment), folder)
        }
    }

    private struct Explanation: Decodable {
        struct Image: Decodable {
            struct File: Decodable {
                var path: String
                var origin: String
                var proof: String
            }
            struct Place: Decodable {
                struct File: Decodable {
                    var path: String
                    var refused: String?
                }
                var place: String
                var expected: [String]?
                var files: [File]?
            }
            var status: String
            var resolved: Int
            var withoutLine: Int
            var missing: Int
            var files: [File]?
            var places: [Place]?
            var remedies: [String]?
        }
        var images: [Image]
    }

    private func image(_ result: RunResult) throws -> Explanation.Image {
        let answer = try JSONDecoder().decode(Explanation.self, from: Data(result.output.utf8))
        return try #require(answer.images.first)
    }

    @Test(arguments: locations) func `the image's file is found there`(location: Location) throws {
        try explanation(location, .found) { result, _ in
            let image = try image(result)
            #expect(image.files?.first?.origin == location.origin, "\(result.output)")
            #expect(image.files?.first?.proof == "identity")
            #expect(image.resolved == 1 && image.withoutLine == 0)
            #expect(result.status == 0)
        }
    }

    @Test(arguments: locations) func `another build's file there is refused, and both identities are told`(location: Location) throws {
        try explanation(location, .wrong) { result, folder in
            let image = try image(result)
            #expect(image.resolved == 0 || image.withoutLine == 1, "\(result.output)")
            let refusals = (image.places ?? []).flatMap { $0.files ?? [] }.compactMap(\.refused)
            let id = try identity(location)
            let wanted = location.isMachO ? uuid(id) : id
            #expect(refusals.contains { $0.contains(wanted) && $0.contains("differs") && $0.contains(folder) }, "\(result.output)")
            #expect(result.status == (image.missing > 0 ? 3 : 0))
        }
    }

    @Test(arguments: locations) func `nothing there is told as nothing, with what to do`(location: Location) throws {
        try explanation(location, .missing) { result, folder in
            let image = try image(result)
            #expect(image.resolved == 0 || image.withoutLine == 1)
            #expect((image.places ?? []).flatMap { $0.files ?? [] }.allSatisfy { $0.refused == nil }, "\(result.output)")
            #expect(image.remedies?.isEmpty == false)
        }
    }
}
