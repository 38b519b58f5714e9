import BinaryPrimitives
import CallSites
import ObjectFiles
import SymbolSources
import TestSupport
import Testing

/// The calls that debug information describes, in a debug file without code, against those of the
/// code.
@Suite(.enabled(if: Tools.hasBinutils, Comment(rawValue: Tools.missingBinutils)))
struct CallSiteEntriesTests {
    private struct Built {
        var text: CallSites
        var debug: CallSites
        /// The debug file again, with its index.
        var indexed: CallSites
        var all: [CallSite] = []
        var entries: [CallSite] = []

        init(_ path: String, debug: String) throws {
            text = try #require(CallSites([ObjectFiles.open(path: path)]))
            let object = try ObjectFiles.open(path: debug)
            self.debug = try #require(CallSites([object]))
            let index = try IndexSource(IndexWriter.make(object), [object])
            _ = try #require(index.recordedCallSites)
            indexed = try #require(CallSites([object]) { index.recordedCallSites })
            all = Self.list(text)
            entries = Self.list(self.debug)
            #expect(Self.list(indexed) == entries)
        }

        private static func list(_ sites: CallSites) -> [CallSite] {
            var found: [CallSite] = []
            sites.forEachCall { site in
                found.append(site)
                return true
            }
            return found
        }
    }

    private func check(_ built: Built, isComplete: Bool) {
        let byReturn = Dictionary(built.all.map { ($0.returnAddress, $0) }, uniquingKeysWith: { first, _ in first })
        var wrong: [String] = []
        for entry in built.entries {
            guard let site = byReturn[entry.returnAddress] else {
                wrong.append("\(entry) is no call")
                continue
            }
            // An entry that names no function of the file has no target.
            // If the code calls a stub, the entry has the stub's target.
            let isSame = entry.target == nil || entry.target == site.target || site.target.map { built.text.isStub($0) } == true
            if !isSame { wrong.append("\(entry), in the code \(site)") }
            // A single address is looked up in its function alone, with the same result.
            guard built.debug.call(returningTo: site.returnAddress) == .call(entry) else {
                wrong.append("\(entry): \(built.debug.call(returningTo: site.returnAddress))")
                continue
            }
            guard case .call(let found) = built.debug.call(containing: LinkAddress(site.returnAddress.value - 1)),
                found.returnAddress == site.returnAddress
            else {
                wrong.append("\(entry): not found by its last byte")
                continue
            }
        }
        // No call may be denied, and some addresses are known to be none.
        var denied = 0
        for site in built.all where built.debug.call(returningTo: site.returnAddress) == .noCall { wrong.append("\(site) is denied") }
        for site in built.entries {
            let address = LinkAddress(site.returnAddress.value + 1)
            if byReturn[address] == nil, built.debug.call(returningTo: address) == .noCall { denied += 1 }
        }
        // An index has the same result for every address.
        for range in built.debug.code {
            for value in range.lowerBound.value..<min(range.upperBound.value, range.lowerBound.value + 1 << 16) {
                let address = LinkAddress(value)
                if built.indexed.call(returningTo: address) != built.debug.call(returningTo: address) { wrong.append("\(address)") }
                let (other, own) = (built.indexed.call(containing: address), built.debug.call(containing: address))
                if other.withoutTarget != own.withoutTarget { wrong.append("in \(address): \(other), in the file \(own)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(4))")
        #expect(isComplete == (denied > 0), "\(denied) addresses are known to be none")
        #expect(!built.debug.code.isEmpty)
    }

    @Test(arguments: ["gcc", "clang"], ["-gdwarf-4", "-gdwarf-5"])
    func `entries of debug files`(compiler: String, version: String) throws {
        let program = compiler == "gcc" ? Tools.gcc : Tools.clang
        try withTemporaryFolder { folder in
            let path = folder + "/calls.so"
            try Tools.succeed(program, ["-O2", version, "-fPIC", "-shared", "-nostdlib", TestPaths.fixture("calls/calls.c"), "-o", path])
            try Tools.succeed(Tools.objcopy, ["--only-keep-debug", path, path + ".debug"])
            let built = try Built(path, debug: path + ".debug")
            #expect(built.entries.count > 30)
            // clang also says of functions that all calls have entries where some have none.
            check(built, isComplete: compiler == "gcc")
        }
    }

    /// gcc writes an entry for `vzeroupper`, as if it called address zero.
    @Test func `what is no call in spite of its entry`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/calls.so"
            try Tools.succeed(
                Tools.gcc, ["-O2", "-g", "-mavx", "-fPIC", "-shared", "-nostdlib", TestPaths.fixture("calls/vzeroupper.c"), "-o", path])
            try Tools.succeed(Tools.objcopy, ["--only-keep-debug", path, path + ".debug"])
            let built = try Built(path, debug: path + ".debug")
            #expect(built.all.count == 1 && built.entries.map(\.returnAddress) == built.all.map(\.returnAddress))
        }
    }

    /// The C library and its debug file (package libc6-dbg): 13,000 calls.
    @Test(.enabled(if: libc != nil, "libc6-dbg is not installed")) func `entries of the C library`() throws {
        let (path, debug) = try #require(Self.libc)
        let built = try Built(path, debug: debug)
        let returns = Set(built.all.map(\.returnAddress))
        #expect(built.entries.filter { !returns.contains($0.returnAddress) } == [])
        // A few functions of it, read together, and one by one.
        for isRead in [true, false] {
            let few = try #require(CallSites([ObjectFiles.open(path: debug)]))
            let some = stride(from: 7, to: built.entries.count, by: 97).map { built.entries[$0] }
            if isRead { few.read(some.map(\.returnAddress)) }
            #expect(some.filter { few.call(returningTo: $0.returnAddress) != .call($0) } == [])
            #expect(
                some.filter {
                    few.call(containing: LinkAddress($0.returnAddress.value - 1)).withoutTarget != CallEvidence.call($0).withoutTarget
                } == [])
            // The target is also found without reading the whole unit.
            let targets = built.entries.filter { $0.target != nil }
            let direct = stride(from: 3, to: targets.count, by: 41).map { targets[$0] }
            #expect(direct.count > 20)
            #expect(direct.allSatisfy { site in site.target.map { few.calls($0, holding: $0, returningTo: site.returnAddress) } ?? false })
            #expect(
                !direct.contains {
                    few.calls(LinkAddress($0.returnAddress.value + 1), holding: $0.returnAddress, returningTo: $0.returnAddress)
                })
        }
        // Assembly has no entries.
        #expect(built.entries.count * 100 >= built.all.count * 99, "\(built.entries.count) of \(built.all.count)")
    }

    private static let libc: (String, String)? = {
        let path = "/lib/x86_64-linux-gnu/libc.so.6"
        guard let object = try? ObjectFiles.open(path: path), let identity = object.identity else { return nil }
        let digits = "\(identity)".lowercased().filter(\.isHexDigit)
        let debug = "/usr/lib/debug/.build-id/\(digits.prefix(2))/\(digits.dropFirst(2)).debug"
        return TestPaths.isReadable(debug) ? (path, debug) : nil
    }()

    @Test func `without optimisation there are no entries`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/calls.so"
            try Tools.succeed(Tools.gcc, ["-O0", "-g", "-fPIC", "-shared", "-nostdlib", TestPaths.fixture("calls/calls.c"), "-o", path])
            try Tools.succeed(Tools.objcopy, ["--only-keep-debug", path, path + ".debug"])
            #expect(try CallSites([ObjectFiles.open(path: path + ".debug")]) == nil)
        }
    }
}

extension CallEvidence {
    /// For results that need not say what is called.
    fileprivate var withoutTarget: CallEvidence {
        guard case .call(var site) = self else { return self }
        site.target = nil
        return .call(site)
    }
}
