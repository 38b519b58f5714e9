import TestSupport

/// A program, logs and folders from a stranger: every name in them is one of the shared list.
struct HostileScene {
    let folder: String
    /// A program whose functions and source files have these names; they are in `functions` in the
    /// order of their addresses.
    var program: String { folder + "/program" }
    /// A report of AddressSanitizer with a row for each function.
    var sanitizerLog: String { folder + "/asan.log" }
    /// Apple's reports, with a text in every field, one a file.
    var appleLogs: String { folder + "/apple" }
    /// Symbol files, damaged ones, links and logs below names of the list.
    var tree: String { folder + "/tree" }
    /// The functions' names and link addresses.
    let functions: [(name: [UInt8], address: String)]

    static func with<Result>(_ body: (HostileScene) throws -> Result) throws -> Result {
        try withTemporaryFolder { folder in
            let names = Hostile.names.map(hexadecimal).joined(separator: "\n")
            let crash = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
            let made = try run("python3", ["-c", script, folder, crash], input: Array(names.utf8)).requireSuccess()
            let functions = made.lines.map { line in
                let parts = line.split(separator: " ")
                return (name: bytes(String(parts[1])), address: String(parts[0]))
            }
            return try body(HostileScene(folder: folder, functions: functions))
        }
    }

    /// The files of the tree.
    func treeFiles() throws -> [String] {
        let found = try run("find", [tree, "-type", "f", "-print0"]).standardOutput
        return found.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }.sorted()
    }

    /// Runs a program on a terminal of its own.
    /// - Returns: its status, and what the terminal got, of both outputs.
    func runOnTerminal(_ program: String, _ arguments: [String]) throws -> (status: Int32, shown: [UInt8]) {
        guard let result = try runOnTerminal(program, [arguments]).first else { throw RunError(description: "no terminal") }
        return result
    }

    /// Runs a program once for each list of arguments, one after the other, each on a terminal of
    /// its own.
    func runOnTerminal(_ program: String, _ commands: [[String]]) throws -> [(status: Int32, shown: [UInt8])] {
        let script = """
            import os, pty, sys
            for line in sys.stdin.read().splitlines():
                arguments = [os.fsencode(sys.argv[1])] + [bytes.fromhex(word[1:]) for word in line.split()]
                child, terminal = pty.fork()
                if child == 0: os.execvp(arguments[0], arguments)
                shown = b""
                while True:
                    try: data = os.read(terminal, 65536)
                    except OSError: break
                    if not data: break
                    shown += data
                os.close(terminal)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256, shown.hex())
            """
        // An argument may be empty.
        let input = commands.map { $0.map { "-" + Self.hexadecimal(Array($0.utf8)) }.joined(separator: " ") }.joined(separator: "\n")
        let result = try run(
            "python3", ["-c", script, program], input: Array(input.utf8), environment: ["TERM": "xterm-256color", "NO_COLOR": nil])
        guard result.lines.count == commands.count else { throw RunError(description: "terminals: \(result.errors)") }
        return result.lines.map { line in
            let columns = line.split(separator: " ")
            // The terminal's driver puts a carriage return in front of each line feed.
            var shown: [UInt8] = []
            for byte in columns.count > 1 ? Self.bytes(String(columns[1])) : [] where byte != 0x0D || shown.last != 0x0D {
                shown.append(byte)
            }
            return (Int32(columns[0]) ?? -1, shown)
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }

    /// No assembler takes such names, so names of the same length are compiled, and exchanged in
    /// the linked file.
    private static let script = #"""
        import os, shutil, subprocess, sys
        folder, crash = sys.argv[1:3]
        names = [bytes.fromhex(line) for line in sys.stdin.read().split()]
        pairs, source = {}, ""
        for number, name in enumerate(names):
            # Long enough to be unlike every other string of the file.
            name = name + b"~" * max(0, 8 - len(name))
            function = f"f{number:03d}" + "q" * (len(name) - 4)
            file = f"g{number:03d}" + "q" * (len(name) - 4)
            pairs[function] = name
            pairs[file] = name
            source += f'#line {number + 10} "{file}"\nint {function}(int x) {{ return x + {number}; }}\n'
        source += '#line 1 "main.c"\nint main(void) { return 0; }\n'
        open(f"{folder}/program.c", "w").write(source)
        subprocess.run(["gcc", "-gdwarf-4", "-O0", "-pie", "-fPIE", "-fno-ident", "-Wl,--build-id=sha1", "program.c", "-o", "program"], cwd=folder, check=True)
        symbols = subprocess.run(["nm", "program"], cwd=folder, check=True, capture_output=True, text=True).stdout.split("\n")
        addresses = {line.split()[2]: int(line.split()[0], 16) for line in symbols if len(line.split()) == 3}
        identity = subprocess.run(["readelf", "-n", "program"], cwd=folder, check=True, capture_output=True, text=True).stdout.split("Build ID: ")[1].split()[0]
        data = open(f"{folder}/program", "rb").read()
        for old, new in pairs.items():
            assert len(old) == len(new) and data.count(old.encode() + b"\0") > 0, old
            data = data.replace(old.encode() + b"\0", new + b"\0")
        open(f"{folder}/program", "wb").write(data)
        rows = []
        for old, new in pairs.items():
            if old in addresses:
                print(hex(addresses[old] + 4), new.hex())
                rows.append(addresses[old] + 5)
        with open(f"{folder}/asan.log", "w") as log:
            log.write("==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x555555554000 bp 0x7ffe sp 0x7ffe T0)\n")
            for index, row in enumerate(rows): log.write(f"    #{index} {hex(0x555555554000 + row)}  ({folder}/program+{hex(row)}) (BuildId: {identity})\n")
            log.write("\nAddressSanitizer can not provide additional info.\nSUMMARY: AddressSanitizer: SEGV (program+0x10)\n==7==ABORTING\n")
        # Apple's reports.
        os.mkdir(f"{folder}/apple")
        text = open(crash, "rb").read()
        fields = [b"/Applications/CrashExample.app/Contents/MacOS/CrashExample", b"Process:             CrashExample", b"Identifier:          org.example.CrashExample", b"1.0 (7)",
                  b"iPhone OS 13.1.3", b"SIGSEGV", b"Dispatch queue: com.apple.main-thread", b"KERN_INVALID_ADDRESS", b"-[NSApplication finishLaunching]", b"libsystem_pthread.dylib",
                  b"Parent Process:      launchd"]
        lines = [name for name in names if b"\n" not in name and b"\r" not in name]
        for number in range(0, len(lines), 4):
            report = text
            for index, field in enumerate(fields):
                # Each name at several places, and no two reports alike.
                name = lines[(number + index * 5) % len(lines)]
                label = field[:field.index(b":") + 1].ljust(21) if field.count(b":      ") else b"/Applications/" if field[:1] == b"/" else b""
                report = report.replace(field, label + name)
            message = b"\n\nApplication Specific Information:\n" + lines[number] + b"\n\nThread 0 name"
            open(f"{folder}/apple/{number:03d}.crash", "wb").write(report.replace(b"\n\nThread 0 name", message))
        # Names of files and folders.
        os.mkdir(f"{folder}/tree")
        root = os.fsencode(f"{folder}/tree")
        for number, name in enumerate(names):
            name = name.replace(b"/", b"_")
            if name in (b".", b"..") or len(name) > 200 or number % 3: continue
            inner = os.path.join(root, name)
            os.mkdir(inner)
            # Another build of the program, a damaged one, an archive of both kinds, a log, links that lead nowhere and round.
            other = data.replace(bytes.fromhex(identity), bytes.fromhex(identity)[::-1])
            if number % 8 == 0: open(os.path.join(inner, b"program"), "wb").write(other)
            open(os.path.join(inner, name), "wb").write(data[:400])
            open(os.path.join(inner, name + b".zip"), "wb").write(b"PK\3\4 damaged")
            if number % 4 == 0: open(os.path.join(inner, name + b".crash"), "wb").write(text)
            open(os.path.join(inner, name + b".ips"), "wb").write(b'{"app_name":"x","bug_type":"309"}\n{"threads":[{"frames":[')
            os.symlink(inner, os.path.join(inner, b"round"))
            os.symlink(b"nowhere" + name, os.path.join(inner, b"nowhere"))
        """#
}
