import Demangling
import TestSupport
import Testing

struct AdaTests {
    /// Symbols as GNAT 12 writes them; the names are those of gdb 13's `demangle -l ada`.
    static let names: [(mangled: String, plain: String)] = [
        ("_ada_main_prog", "main_prog"), ("_ada_main_prog__2", "main_prog"), ("_ada_foo__bar", "foo.bar"), ("_ada_x__bar__3", "x.bar"),
    ]

    @Test(arguments: names)
    func `library procedures are shown as by gdb`(name: (mangled: String, plain: String)) {
        #expect(Demangler().demangle(name.mangled) == name.plain)
        #expect(Demangler().read(name.mangled).scheme == .ada)
    }

    /// Symbols of GNAT 12's library and of programs; the names are those of binutils' `c++filt --format=gnat`.
    // swift-format-ignore: one name a line.
    static let namesInFiles: [(mangled: String, plain: String)] = [
        ("shop__price", "shop.price"),
        ("shop__price__2", "shop.price"),
        ("shop__inner__deep.3", "shop.inner.deep"),
        ("ada__calendar___elabb", "ada.calendar'Elab_Body"),
        ("ada__calendar___elabs", "ada.calendar'Elab_Spec"),
        ("ada__calendar__Oadd__2", "ada.calendar.\"+\""),
        ("ada__calendar__arithmetic__Osubtract", "ada.calendar.arithmetic.\"-\""),
        ("ada__directories___assign__2", "ada.directories.\":=\""),
        ("gnat__awk__patterns___sizeXn", "gnat.awk.patterns'Size"),
        ("gnat__cgi__cookie__key_value_table__freeXnn", "gnat.cgi.cookie.key_value_table.free"),
        ("ada__numerics__complex_arrays__instantiations__Osubtract__5Xnn", "ada.numerics.complex_arrays.instantiations.\"-\""),
        ("ada__strings__text_buffers__bounded__mapping__buffer_typeP", "ada.strings.text_buffers.bounded.mapping.buffer_type"),
        ("ada__strings__unbounded__unbounded_stringSR__2", "ada.strings.unbounded.unbounded_string'Read"),
        ("pool__workerTKB", "pool.worker"),
        ("pool__workerTK__step", "pool.worker.step"),
        ("queues__queue__put_E5s", "queues.queue.put"),
        ("_ada_main_prog", "main_prog"),
    ]

    @Test(arguments: namesInFiles)
    func `in a file of Ada, names are read as binutils reads them`(name: (mangled: String, plain: String)) {
        #expect(Demangler().read(name.mangled, in: .ada) == DemangledName(text: name.plain, scheme: .ada, staysMangled: false))
        #expect(Demangler(style: .none).read(name.mangled, in: .ada).text == name.mangled)
        #expect(Demangler.ofTools().read(name.mangled, in: .ada).text == name.mangled)
    }

    @Test(arguments: [
        "main", "__gnat_malloc", "Shop__price", "shop__Price", "shop__recIP", "shop__Oplus", "shop___elab", "shop__", "__shop",
    ])
    func `names that are not Ada's stay as they are in such a file, too`(name: String) {
        let expected =
            name == "main"
            ? DemangledName(text: name, scheme: .ada, staysMangled: false) : DemangledName(text: name, scheme: .plain, staysMangled: false)
        #expect(Demangler().read(name, in: .ada) == expected)
    }

    @Test(.enabled(if: Installed.has("c++filt", "gnatls", "nm", "sh"), "c++filt, gnatls or nm is missing"))
    func `every symbol of Ada's library is read as by binutils, or stays as it is`() throws {
        let script = """
            for folder in $(gnatls -v | grep adalib); do
                for file in "$folder"/libgnat.a; do nm --format=just-symbols --defined-only "$file"; done
            done 2>/dev/null | sort -u | grep -E '^[a-z_][A-Za-z0-9_]*([.][0-9]+)?$' | tee symbols | c++filt --format=gnat > names; paste symbols names
            """
        try withTemporaryFolder { folder in
            let lines = try run("sh", ["-c", script], directory: folder).requireSuccess().lines
            var (read, wrong): (Int, [String]) = (0, [])
            for line in lines {
                let parts = line.split(separator: "\t").map(String.init)
                guard parts.count == 2 else { continue }
                let found = Demangler().read(parts[0], in: .ada)
                read += found.scheme == .ada ? 1 : 0
                // binutils writes what it cannot read in angle brackets.
                let expected = parts[1].hasPrefix("<") ? parts[0] : parts[1]
                if found.text != expected { wrong.append("\(parts[0]): \(found.text), \(parts[1])") }
            }
            #expect(wrong.prefix(20) == [])
            // A third of the library's 10,000 symbols are C's, or types' data.
            #expect(read > 1000)
        }
    }

    @Test func `a compiler's suffix follows the name`() {
        #expect(Demangler().demangle("_ada_main_prog.cold") == "main_prog (.cold)")
    }

    @Test(arguments: [
        "shop__price", "shop__price__2", "shop__inner__deep", "shop___elabb", "shop__Oadd", "__ada_x", "_ada_", "_ada_Foo", "_ada_foo_",
        "_adafoo", "ada_main", "_ada_foo-bar", "_ada_foo___bar", "_ada_2x",
    ])
    func `names that C may have stay as they are`(name: String) {
        #expect(Demangler().read(name) == DemangledName(text: name, scheme: .plain, staysMangled: false))
    }

    @Test(.enabled(if: Installed.has("gdb"), "gdb is missing"), arguments: names)
    func `gdb says the same`(name: (mangled: String, plain: String)) throws {
        let shown = try run("gdb", ["-batch", "-nx", "-ex", "demangle -l ada -- " + name.mangled]).requireSuccess().lines
        #expect(shown == [name.plain])
    }
}
