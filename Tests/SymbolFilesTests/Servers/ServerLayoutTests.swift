import BinaryPrimitives
import SymbolFiles
import Testing

/// The paths are those of the layouts' own documentation: Symbolicator's "Symbol Server Compatibility", SSQP's key conventions
/// (dotnet/symstore), debuginfod(8), GDB's and LLDB's manuals, and Breakpad's `SimpleSymbolSupplier`.
struct ServerLayoutTests {
    private func paths(_ layout: ServerLayout, _ kind: RequestedFile.Kind, _ request: ImageRequest) -> [String] {
        layout.paths(of: RequestedFile(kind, RequestedImage(request)))
    }

    private let elf = ImageRequest(name: "libFoo.so", id: ImageID(buildID: "ab8d96dcc9de627ace64ea0173e42adb457cb353"))
    private let machO = ImageRequest(name: "App", id: ImageID(text: "502fc0a5-1ec1-3e47-9998-684fa139dca7"))
    private let windows: ImageRequest = {
        var request = ImageRequest(name: "Tide.dll", id: ImageID(text: "f4f8dfcd-5a5f-b5a7-ce64-717e9e6ae389"))
        (request.debugFile, request.debugIdentifier, request.codeIdentifier) = (
            "tide.pdb", "F4F8DFCD5A5FB5A7CE64717E9E6AE3891", "4BA9B29C180000"
        )
        return request
    }()

    @Test func `debuginfod has ELF files by their build IDs`() {
        let id = "ab8d96dcc9de627ace64ea0173e42adb457cb353"
        #expect(paths(.debuginfod, .debuginfo, elf) == ["buildid/\(id)/debuginfo"])
        #expect(paths(.debuginfod, .executable, elf) == ["buildid/\(id)/executable"])
        #expect(paths(.debuginfod, .source("/usr/src/a b.c"), elf) == ["buildid/\(id)/source/usr/src/a b.c"])
        #expect(paths(.debuginfod, .debuginfo, machO) == [])
    }

    @Test func `the unified layout has a folder by the identity`() {
        let folder = "ab/8d96dcc9de627ace64ea0173e42adb457cb353"
        #expect(paths(.unified, .debuginfo, elf) == [folder + "/debuginfo", folder + "/breakpad"])
        #expect(paths(.unified, .executable, elf) == [folder + "/executable"])
        #expect(paths(.unified, .debuginfo, machO).first == "50/2fc0a51ec13e479998684fa139dca7/debuginfo")
        // With the age.
        #expect(paths(.unified, .debuginfo, windows).first == "f4/f8dfcd5a5fb5a7ce64717e9e6ae3891/debuginfo")
    }

    @Test func `Breakpad's layout has text files by name and identity`() {
        // The first numbers of a build ID are swapped, and its end is left out; of a UUID they are not.
        #expect(
            paths(.breakpad, .debuginfo, elf).contains("libFoo.so/DC968DABDEC97A62CE64EA0173E42ADB0/libFoo.so.sym"))
        #expect(paths(.breakpad, .debuginfo, machO).first == "App/502FC0A51EC13E479998684FA139DCA70/App.sym")
        #expect(paths(.breakpad, .debuginfo, windows) == ["tide.pdb/F4F8DFCD5A5FB5A7CE64717E9E6AE3891/tide.sym"])
        #expect(paths(.breakpad, .executable, elf) == [])
    }

    @Test func `symbol servers of Windows have keys for each system`() {
        let id = "ab8d96dcc9de627ace64ea0173e42adb457cb353"
        #expect(paths(.symsrv, .debuginfo, elf) == ["_.debug/elf-buildid-sym-\(id)/_.debug"])
        #expect(
            paths(.symsrv, .executable, elf) == ["libfoo.so/elf-buildid-\(id)/libfoo.so", "libFoo.so/elf-buildid-\(id)/libFoo.so"])
        #expect(paths(.symsrv, .debuginfo, machO) == ["_.dwarf/mach-uuid-sym-502fc0a51ec13e479998684fa139dca7/_.dwarf"])
        #expect(paths(.symsrv, .executable, windows).contains("tide.dll/4BA9B29C180000/tide.dll"))
        #expect(paths(.symsrv, .executable, windows).contains("Tide.dll/4BA9B29C180000/Tide.dll"))
    }

    @Test func `debuggers' folders are by build ID and by UUID`() {
        let id = "ab/8d96dcc9de627ace64ea0173e42adb457cb353"
        #expect(paths(.native, .debuginfo, elf) == [".build-id/\(id).debug", id + ".debug"])
        #expect(paths(.native, .executable, elf) == [".build-id/" + id, id])
        #expect(paths(.native, .debuginfo, machO).last == "502F/C0A5/1EC1/3E47/9998/684FA139DCA7")
        #expect(paths(.native, .executable, machO).last == "502F/C0A5/1EC1/3E47/9998/684FA139DCA7.app")
    }

    /// Names come from logs.
    @Test(arguments: ["..", ".", "", "a/b", "../../etc/passwd", "a\nb"])
    func `no name leads out of a server's folders`(name: String) {
        var request = elf
        request.name = name
        (request.debugFile, request.debugIdentifier, request.codeIdentifier) = (name, name, name)
        for layout in ServerLayout.allCases {
            for kind in [RequestedFile.Kind.debuginfo, .executable] {
                for path in paths(layout, kind, request) {
                    #expect(!path.split(separator: "/").contains(where: { $0 == ".." || $0 == "." }), "\(path)")
                    #expect(name.isEmpty || name == "." || !path.contains(name), "\(path)")
                }
            }
        }
    }
}
