import TestSupport
import Testing

/// Components of the programs, as `scripts/release/sbom` lists them for the build that the tests
/// run.
struct SupplyTests {
    private static let build = String(TestPaths.cairn.dropLast("/cairn".count))
    /// A build whose lists of objects are there: not an installed program.
    private static let isBuild =
        TestPaths.isReadable(build + "/cairn.product/Objects.LinkFileList") && TestPaths.isReadable("/usr/bin/dpkg-query")
    private static let isRelease = isBuild && build.hasSuffix("/release") && (try? run("uname", ["-m"]).output) == "x86_64\n"

    @Test(.enabled(if: isBuild, "a build of the package on a Debian system")) func `the bill of materials follows the standard`() throws {
        let script = TestPaths.root + "/scripts/release/sbom"
        let first = try run(script, ["--build", Self.build])
        #expect(first.status == 0 && first.errors == "", "\(first.errors)")
        #expect(try run(script, ["--build", Self.build]).standardOutput == first.standardOutput)
        // The rules of CycloneDX 1.5's schema for its contents (bom-1.5.schema.json), and those
        // that no schema has: each reference leads to a component.
        let check = #"""
            import json, re, sys
            bill = json.load(sys.stdin)
            assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.5", 1)
            assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", bill["serialNumber"])
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["metadata"]["timestamp"])
            known = ["type", "bom-ref", "name", "version", "hashes", "licenses", "purl", "externalReferences", "properties"]
            references = [bill["metadata"]["component"]["bom-ref"]] + [component["bom-ref"] for component in bill["components"]]
            assert len(references) == len(set(references))
            for component in bill["components"]:
                assert set(component) <= set(known) and component["type"] in ("application", "library") and component["name"] and component["version"], component
                for licence in component["licenses"]: assert list(licence) == ["expression"] and len(component["licenses"]) == 1 or list(licence["license"]) == ["name"], component
                for hash in component.get("hashes", []): assert hash["alg"] == "SHA-256" and re.fullmatch("[0-9a-f]{64}", hash["content"])
                if "purl" in component: assert re.fullmatch(r"pkg:(swift/github\.com/[\w.-]+|deb/debian)/[\w.+-]+@[\w.%~+-]+(\?arch=\w+)?", component["purl"]), component["purl"]
            assert [entry["ref"] for entry in bill["dependencies"]][0] == "cairn"
            assert sorted(entry["ref"] for entry in bill["dependencies"]) == sorted(references)
            for entry in bill["dependencies"]: assert set(entry["dependsOn"]) <= set(references) and len(entry["dependsOn"]) == len(set(entry["dependsOn"]))
            # Every program depends on what it is linked from, and nothing stands there that no program has.
            used, open = set(), ["cairn"]
            edges = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}
            while open:
                reference = open.pop()
                if reference not in used: used.add(reference); open += edges[reference]
            assert used == set(references), set(references) - used
            print("ok")
            """#
        let result = try run("python3", ["-c", check], input: first.standardOutput)
        #expect(result.lines == ["ok"], "\(result.errors)")
        // With its own validator, where that is installed (cyclonedx-python-lib with
        // json-validation).
        guard let python = Python.interpreter(with: "cyclonedx.validation.json") else { return }
        let strict =
            "import sys\nfrom cyclonedx.validation.json import JsonStrictValidator\nfrom cyclonedx.schema import SchemaVersion\nprint(JsonStrictValidator(SchemaVersion.V1_5).validate_str(sys.stdin.read()))"
        #expect(try run(python, ["-c", strict], input: first.standardOutput).lines == ["None"])
    }

    /// Each package that Package.swift names is in the bill, as far as its program is built, and
    /// has its reason in Documentation/dependencies.md.
    @Test(.enabled(if: isBuild, "a build of the package on a Debian system")) func `every dependency is listed, with its reason`() throws {
        let manifest = String(decoding: try readFile(TestPaths.root + "/Package.swift"), as: UTF8.self)
        let reasons = String(decoding: try readFile(TestPaths.root + "/Documentation/dependencies.md"), as: UTF8.self)
        let bill = try run(TestPaths.root + "/scripts/release/sbom", ["--build", Self.build]).output
        let packages = manifest.split(separator: ".package(url: \"").dropFirst().compactMap { $0.split(separator: "\"").first }.map {
            String($0)
        }
        #expect(packages.count == 6)
        /// The packages that only programs enabled by traits have, and one of their modules.
        let modules = [
            "swift-nio": "NIOCore", "swift-log": "Logging", "swift-atomics": "Atomics", "swift-collections": "DequeModule",
            "swift-system": "SystemPackage",
        ]
        let objects = String(decoding: (try? readFile("\(Self.build)/cairn-tools.product/Objects.LinkFileList")) ?? [], as: UTF8.self)
        for package in packages {
            let name = String(package.split(separator: "/").last ?? "")
            #expect(reasons.contains(name), "\(name)")
            // Without its trait the program is built, and is not linked with the package.
            let isLinked = modules[name].map { objects.contains("/\($0).build/") } ?? true
            #expect(!isLinked || bill.contains("pkg:swift/\(package.dropFirst("https://".count))@"), "\(name)")
        }
        let libraries = manifest.split(separator: ".apt([\"").dropFirst().compactMap { $0.split(separator: "\"").first }.map { String($0) }
        #expect(libraries.count == 11)
        for library in libraries { #expect(reasons.contains("`\(library)`"), "\(library)") }
        for name in ["libelf", "zlib", "zstd", "liblzma", "libbz2", "glibc"] { #expect(bill.contains("\"name\": \"\(name)\""), "\(name)") }
    }

    /// Amazon Linux 2023 and RHEL 9 have glibc 2.34 (`Sources/CCairn/older_glibc.c`).
    @Test(.enabled(if: isRelease, "a release build on Linux"), arguments: ["cairn", "cairn-tools"])
    func `a program needs glibc 2-34 or later, and no other library`(name: String) throws {
        let path = Self.build + "/" + name
        let versions = try run("objdump", ["-T", path]).output.split(separator: "GLIBC_2.").dropFirst().compactMap {
            Int($0.prefix { $0.isNumber })
        }
        #expect(versions.max() == 34)
        let needed = try run("readelf", ["-d", path]).lines.filter { $0.contains("(NEEDED)") }
        #expect(needed.count == 3)
        for library in ["[libc.so.6]", "[libm.so.6]", "[ld-linux-x86-64.so.2]"] {
            #expect(needed.contains { $0.hasSuffix(library) }, "\(needed)")
        }
    }
}
