import CrashReports
import Testing

@testable import CrashLogFormats
@testable import CrashLogModel

/// The form of every rule: its wording, and its source.
struct MeaningRulesTests {
    static let tables: [(name: String, meanings: [Meaning])] = [
        ("terminations", AppleTerminations.codes.rows.map(\.value) + AppleTerminations.oldCodes.rows.map(\.value)),
        ("watchdog", AppleTerminations.watchdogEvents.meanings), ("dyld", AppleTerminations.dyld.rows.map(\.value)),
        ("code signing", AppleTerminations.codeSigning.rows.map(\.value)), ("exec", AppleTerminations.exec.rows.map(\.value)),
        ("jetsam", AppleTerminations.jetsam.rows.map(\.value)),
        ("namespaces", (AppleTerminations.namespaces + AppleTerminations.messages).meanings),
        (
            "exceptions",
            (AppleExceptions.types + AppleExceptions.guardTypes + AppleExceptions.resources).meanings + [AppleExceptions.raised]
        ),
        ("guards", (AppleExceptions.descriptorFlavors + AppleExceptions.portFlavors + AppleExceptions.fileFlavors).meanings),
        ("arithmetic", AppleExceptions.arithmeticARM.rows.map(\.value) + AppleExceptions.arithmeticIntel.rows.map(\.value)),
        ("accesses", AppleAccessMeanings.codes.meanings), ("patterns", FillPattern.all.map(\.meaning)),
        ("signals", (SignalMeanings.signals + SignalMeanings.codes + SignalMeanings.senders + SignalMeanings.senderMessages).meanings),
        ("other signals", [SignalMeanings.linuxBus, SignalMeanings.sentInSystemCall, SignalMeanings.generalProtection]),
        ("memory", (SanitizerMeanings.memory + SanitizerMeanings.hardware + SanitizerMeanings.guarded + SanitizerMeanings.hints).meanings),
        ("sanitizers", (SanitizerMeanings.leaks + SanitizerMeanings.thread + SanitizerMeanings.fuzzer).meanings),
        ("undefined", (SanitizerMeanings.undefined + SanitizerMeanings.undefinedMessages).meanings),
        ("Linux", (LinuxMeanings.bugs + LinuxMeanings.types + LinuxMeanings.oopses + LinuxMeanings.panics).meanings),
        ("Linux' checks", (LinuxMeanings.addressSanitizer + LinuxMeanings.fence + LinuxMeanings.locks + LinuxMeanings.slab).meanings),
        ("kernels", (KernelMeanings.applePanics + KernelMeanings.bsd + KernelMeanings.fuchsia).meanings),
        ("Swift and Objective-C", (AppleRuntimeMeanings.swift + AppleRuntimeMeanings.fatal + AppleRuntimeMeanings.reasons).meanings),
        ("NSException", (AppleRuntimeMeanings.exceptions + AppleRuntimeMeanings.diagnoses).meanings + [AppleRuntimeMeanings.uncaught]),
        ("Go and Rust", (GoMeanings.table + RustMeanings.table).meanings),
        (
            "Java",
            (ScriptMeanings.java + ScriptMeanings.machine + ScriptMeanings.machineMessages + ScriptMeanings.openJ9 + ScriptMeanings.node)
                .meanings
        ),
        ("Python", (ScriptMeanings.fatalPython + ScriptMeanings.exceptions).meanings),
        ("C", (CLibraryMeanings.heap + CLibraryMeanings.checks).meanings),
        (
            "watchers",
            (WatcherMeanings.anr + WatcherMeanings.metricKit + WatcherMeanings.spindump + WatcherMeanings.ips + WatcherMeanings.kscrash)
                .meanings
        ),
        ("checkers", (ToolMeanings.valgrind + ToolMeanings.leaks + ToolMeanings.checks + ToolMeanings.performance).meanings),
        ("other runtimes", (ToolMeanings.druntime + ToolMeanings.microcontrollers + ToolMeanings.fortran).meanings),
        ("Windows", WatcherMeanings.codes.meanings),
    ]

    @Test("one or two sentences of at most 25 words, with a source", arguments: tables.indices)
    func wording(_ index: Int) {
        let table = Self.tables[index]
        #expect(!table.meanings.isEmpty)
        for meaning in table.meanings {
            #expect(!meaning.source.isEmpty, "\(table.name): \(meaning.text)")
            #expect(meaning.text.hasSuffix("."), "\(table.name): \(meaning.text)")
            let sentences = Self.sentences(meaning.text)
            #expect(sentences.count <= 2, "\(table.name): \(meaning.text)")
            for sentence in sentences {
                #expect(sentence.split(separator: " ").count <= 25, "\(table.name): \(sentence)")
            }
        }
    }

    /// Verbs for what people do with words are not used for software.
    @Test("no words of people for software", arguments: tables.indices)
    func people(_ index: Int) {
        let banned: Set = ["tell", "tells", "told", "answer", "answers", "answered", "say", "says", "said"]
        for meaning in Self.tables[index].meanings {
            let words = meaning.text.lowercased().split { !$0.isLetter }.map(String.init)
            #expect(words.allSatisfy { !banned.contains($0) }, "\(meaning.text)")
        }
    }

    static func sentences(_ text: String) -> [Substring] {
        var sentences: [Substring] = []
        var rest = text[...]
        while let end = rest.firstIndex(of: ".") {
            let next = rest.index(after: end)
            guard next == rest.endIndex || rest[next] == " " else {
                // `Info.plist`
                guard let word = rest[next...].firstIndex(of: " ") else { break }
                sentences.append(rest[..<word])
                rest = rest[word...]
                let joined = sentences.removeLast() + (rest.firstIndex(of: ".").map { rest[...$0] } ?? rest)
                sentences.append(Substring(joined))
                rest = rest.firstIndex(of: ".").map { rest[rest.index(after: $0)...] } ?? rest[rest.endIndex...]
                continue
            }
            sentences.append(rest[...end])
            rest = rest[next...].drop { $0 == " " }
        }
        if !rest.isEmpty { sentences.append(rest) }
        return sentences
    }
}

extension MeaningTable {
    var meanings: [Meaning] { rules.map(\.meaning) }
}

/// How many real logs get a meaning.
struct MeaningCorpusTests {
    @Test("nine of ten causes of real logs have a meaning", .enabled(if: !CorpusTests.corpus.isEmpty))
    func coverage() {
        var causes = 0
        var meanings = 0
        for sample in CorpusTests.corpus {
            for report in sample.log.parsed().reports {
                guard let cause = report.cause, cause.type != nil || cause.signal != nil else { continue }
                causes += 1
                if report.meaning != nil { meanings += 1 }
            }
        }
        #expect(causes > 400)
        #expect(meanings * 10 >= causes * 9, "\(meanings) of \(causes)")
    }

    @Test("a meaning follows from the report alone, and is the same again", .enabled(if: !CorpusTests.corpus.isEmpty))
    func sources() {
        for sample in CorpusTests.corpus {
            for report in sample.log.parsed().reports {
                guard let meaning = report.meaningWithSource else { continue }
                #expect(!meaning.source.isEmpty)
                #expect(MeaningRulesTests.sentences(meaning.text).count <= 2, "\(sample.path): \(meaning.text)")
            }
        }
    }
}
