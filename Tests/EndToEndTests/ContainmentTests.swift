#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// libdwarf reads hostile bytes in a process that has given up what it does not need, and whose
    /// death is one line.
    struct ContainmentTests {
        static let file = "binaries/CXX/out/cxx-clang-dwarf5-O0"
        static let allSections = ["dwarfdump", "--debug-info", "--debug-line", "--debug-aranges", file]

        /// Each phase of each command, as users meet it, with the words for it.
        static let phases: [(command: [String], phase: String, message: String)] =
            [
                ("opening", "opening it"), ("sections", "reading its sections"), ("units", "reading units"),
                ("lines", "reading line tables"),
                ("tables", "reading tables"),
            ].map { (allSections, $0, $1) }
            + [(["dwarfdump", "--verify", file], "verifying", "looking for contradictions")]
            + [
                ("opening", "opening it"), ("sections", "reading its sections"), ("units", "reading units"),
                ("lines", "reading line tables"),
                ("answering", "asking cairn's own reader"), ("comparing", "comparing results"),
            ].map { (["verify", file, "--sample", "20"], $0, $1) }

        static let deaths: [(signal: Int32, message: String)] = [
            (Int32(SIGKILL), "was killed while PHASE (SIGKILL, which the system sends when memory runs out)"),
            (Int32(SIGSEGV), "crashed while PHASE (SIGSEGV)"),
        ]

        @Test(arguments: phases, deaths)
        func `killed in any phase, it is one line with the file's name, and status 1`(
            part: (command: [String], phase: String, message: String), death: (signal: Int32, message: String)
        ) throws {
            let run = try RunningCairn(part.command, environment: ["CAIRN_DWARFDUMP_STOP_AT": part.phase], shell: "exec >/dev/null")
            let worker = try run.stoppedChild()
            kill(worker, death.signal)
            // A process that is stopped gets all other signals when it goes on.
            kill(worker, SIGCONT)
            let result = run.finish()
            let outcome = part.command[0] == "verify" ? "the readers could not be compared" : "the dump ends here"
            #expect(result.status == 1)
            let cause = death.message.replacingOccurrences(of: "PHASE", with: part.message)
            #expect(result.errors == "cairn: error: \(Self.file): the reader \(cause): \(outcome)\n")
        }

        /// A forked process's first thread goes by its parent's number in the runtime's locks
        /// (worker.c). The one that stops the process there sent the signal to itself: the call
        /// that a thread made last to the system, and with what, is in its `syscall` (proc(5));
        /// those of tgkill(2) are the process and the thread.
        @Test(arguments: ["dwarfdump", "verify"])
        func `a thread reads that was not there when the process was forked`(command: String) throws {
            let run = try RunningCairn(
                [command, Self.file], environment: ["CAIRN_DWARFDUMP_STOP_AT": "units"], shell: "exec >/dev/null")
            let worker = try run.stoppedChild()
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker)/task").compactMap { Int32($0) }
            let readers = try threads.filter { thread in
                let arguments = try String(contentsOfFile: "/proc/\(worker)/task/\(thread)/syscall", encoding: .utf8).split(separator: " ")
                return arguments.dropFirst().prefix(2) == ["0x" + String(worker, radix: 16), "0x" + String(thread, radix: 16)]
            }
            #expect(readers.count == 1 && readers != [worker], "\(readers) of \(threads) in \(worker)")
            kill(worker, SIGKILL)
            _ = run.finish()
        }

        /// Several files: the name is that of the one that was being read.
        @Test func `the line names the file that was read`() throws {
            let missing = "no/such/file"
            let run = try RunningCairn(
                ["dwarfdump", "--debug-aranges", missing, Self.file], environment: ["CAIRN_DWARFDUMP_STOP_AT": "tables"],
                shell: "exec >/dev/null")
            kill(try run.stoppedChild(), SIGKILL)
            let lines = run.finish().errors.split(separator: "\n")
            #expect(
                lines.count == 2 && lines[0].hasPrefix("cairn: error: \(missing): ")
                    && lines[1].hasPrefix("cairn: error: \(Self.file): the reader was killed"))
        }

        @Test(arguments: ["dwarfdump", "verify"])
        func `no descriptor of whoever started it is open in it`(command: String) throws {
            let run = try RunningCairn(
                [command, Self.file], environment: ["CAIRN_DWARFDUMP_STOP_AT": "units"], shell: "exec 7</etc/passwd 9>/dev/null")
            let worker = try run.stoppedChild()
            let own = RunningCairn.descriptors(of: run.number)
            #expect(Set(own.keys) == [0, 1, 2])
            let targets = Set(RunningCairn.descriptors(of: worker).filter { $0.key > 2 }.values)
            let file = TestPaths.fixture(Self.file)
            // The file, what the watchdog reads, and what lines of ours are written to.
            #expect(
                targets.count == 3 && targets.contains(file) && targets.contains("/proc/\(worker)/statm") && targets.contains(own[2] ?? ""))
            kill(worker, SIGKILL)
            _ = run.finish()
        }

        /// Limits of this system for a process, by the names that it gives (proc(5)).
        private static func softLimits(of process: Int32) throws -> [String: String] {
            let names = ["Max core file size", "Max open files", "Max data size", "Max cpu time"]
            let lines = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8).split(separator: "\n")
            var found: [String: String] = [:]
            for line in lines {
                guard let name = names.first(where: { line.hasPrefix($0) }) else { continue }
                found[name] = line.dropFirst(name.count).split(separator: " ").first.map(String.init)
            }
            return found
        }

        /// Small files get the least that any gets; where a hundred megabytes of nothing follow the
        /// file, it is 1 s and 16 MB for each of them. The system lets it work five seconds more
        /// than the watchdog does, and write to 4 GB more.
        @Test(arguments: ["dwarfdump", "verify"], [(0, 8, 896), (100, 100, 1600)])
        func `without options the limits follow the file's size`(command: String, _ expected: (more: Int, seconds: Int, megabytes: Int))
            throws
        {
            try withTemporaryFolder { folder in
                let file = folder + "/padded"
                let bytes = try readFile(TestPaths.fixture(Self.file))
                #expect(bytes.count < 1 << 20)
                try writeFile(file, bytes)
                try cutFile(file, to: bytes.count + expected.more << 20)
                let run = try RunningCairn([command, file], environment: ["CAIRN_DWARFDUMP_STOP_AT": "sections"])
                let worker = try run.stoppedChild()
                let soft = try Self.softLimits(of: worker)
                #expect(soft["Max data size"] == "\((expected.megabytes << 20) + (4 << 30))")
                #expect(soft["Max cpu time"] == "\(expected.seconds + 5)")
                kill(worker, SIGKILL)
                _ = run.finish()
            }
        }

        @Test(arguments: ["dwarfdump", "verify"])
        func `before libdwarf reads, the filter is on and the limits are low`(command: String) throws {
            guard FileManager.default.fileExists(atPath: "/proc/sys/kernel/seccomp") else { return print("this kernel has no filters") }
            let run = try RunningCairn(
                [command, Self.file, "--memory-limit", "1000", "--time-limit", "50"], environment: ["CAIRN_DWARFDUMP_STOP_AT": "sections"])
            let worker = try run.stoppedChild()
            let status = try String(contentsOfFile: "/proc/\(worker)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"))
            let soft = try Self.softLimits(of: worker)
            #expect(soft["Max core file size"] == "0")
            #expect(soft["Max open files"] == "1026")
            // 1,000 MB and 4 GB.
            #expect(soft["Max data size"] == "\((1000 << 20) + (4 << 30))")
            // The time limit and twice the grace of five seconds, on each processor.
            #expect(soft["Max cpu time"] == "\(60 * ProcessInfo.processInfo.activeProcessorCount)")
            kill(worker, SIGKILL)
            _ = run.finish()
        }

        /// A worker that is stopped does nothing, not even look at the time, as one whose watchdog
        /// has crashed.
        @Test func `the time limit holds although the worker itself does not look`() throws {
            let run = try RunningCairn(["verify", Self.file, "--time-limit", "1"], environment: ["CAIRN_DWARFDUMP_STOP_AT": "units"])
            let result = run.finish()
            #expect(result.status == 1)
            #expect(
                result.errors
                    == "cairn: error: \(Self.file): the reader took 1 seconds while reading units, expected less, or a higher --time-limit: the readers could not be compared\n"
            )
        }

        /// libdwarf never comes to an end with it; the limit is looked at beside it.
        @Test func `the time limit holds in the dump, with the file's name`() throws {
            let result = try cairn("verify", "hostile/dwarf/many-ranges", "0x1010", "--time-limit", "2")
            #expect(result.status == 1)
            #expect(result.errors.hasPrefix("cairn: error: hostile/dwarf/many-ranges: ") && result.errors.contains("it took 2 seconds"))
        }

        /// 143: ended by SIGTERM, 15, as it would be without a worker; 130: SIGINT, 2.
        @Test(arguments: [(Int32(SIGTERM), Int32(143)), (Int32(SIGINT), Int32(130))])
        func `a signal to end reaches the worker, and is no crash`(signal: Int32, status: Int32) throws {
            let run = try RunningCairn(Self.allSections, environment: ["CAIRN_DWARFDUMP_STOP_AT": "units"], shell: "exec >/dev/null")
            let worker = try run.stoppedChild()
            kill(run.number, signal)
            RunningCairn.waitForSignal(signal, in: worker)
            kill(worker, SIGCONT)
            let result = run.finish()
            #expect(result.status == status && result.errors.isEmpty, "\(result.status) \(result.errors)")
            #expect(kill(worker, 0) != 0)
        }

        @Test func `a worker ends with its parent`() throws {
            let run = try RunningCairn(Self.allSections, environment: ["CAIRN_DWARFDUMP_STOP_AT": "units"], shell: "exec >/dev/null")
            let worker = try run.stoppedChild()
            kill(run.number, SIGKILL)
            _ = run.finish()
            #expect(eventually { kill(worker, 0) != 0 })
        }

        /// 141: ended by SIGPIPE, 13, as shells expect of a command in a pipe.
        @Test func `a reader that has gone is no crash`() throws {
            let run = try RunningCairn(["dwarfdump", "--all", Self.file], shell: "exec 2>&1")
            _ = run.line()
            run.closeOutput()
            #expect(run.finish().status == 141)
        }
    }
#endif
