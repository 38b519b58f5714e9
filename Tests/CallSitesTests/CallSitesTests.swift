import BinaryPrimitives
import CallSites
import ObjectFiles
import TestSupport
import Testing

struct CallSitesTests {
    /// A function of `e8` alone: an instruction every five bytes, and none of the other four ways
    /// to read it ever meets that one. So only decoding from the start helps, up to the cap.
    @Test func `a function is decoded up to the cap`() throws {
        let text = [UInt8](repeating: 0xe8, count: 20000)
        var limits = Limits()
        limits.sweptCode = 9999
        let sites = try #require(try MadeELF(text: text).sites(limits: limits))
        // The last byte before the return address is as far from the start as the cap allows: 9,999
        // is the last byte of the 2,000th call.
        let last = LinkAddress(0x1000 + 10000)
        guard case .call = sites.call(returningTo: last) else {
            Issue.record("\(sites.call(returningTo: last))")
            return
        }
        #expect(sites.call(returningTo: LinkAddress(last.value + 5)) == .unknown)
        limits.sweptCode = 10004
        guard case .call = try #require(try MadeELF(text: text).sites(limits: limits)).call(returningTo: LinkAddress(last.value + 5)) else {
            Issue.record("not found below the cap")
            return
        }
    }

    /// In a long function the bytes before an address are enough where all ways to read them meet.
    @Test func `a long function is not decoded from its start`() throws {
        var limits = Limits()
        limits.sweptCode = 100
        let nops = [UInt8](repeating: 0x90, count: 100_000)
        let sites = try #require(try MadeELF(text: nops + [0xe8, 0, 0, 0, 0, 0x90]).sites(limits: limits))
        let end = LinkAddress(0x1000 + 100_005)
        #expect(sites.call(returningTo: end) == .call(.init(end.value - 5, end.value, end.value)))
        #expect(sites.call(containing: LinkAddress(end.value - 3)) == .call(.init(end.value - 5, end.value, end.value)))
    }

    @Test func `nothing is known without code, and of other processors`() throws {
        #expect(CallSites([]) == nil)
        // EM_VAX.
        #expect(try MadeELF(machine: 75, text: [0xe8, 0, 0, 0, 0]).sites() == nil)
        // EF_MIPS_MICROMIPS.
        #expect(try MadeELF(machine: 8, is64Bit: false, flags: 0x0200_0000, text: [0, 0, 0, 0]).sites() == nil)
    }

    /// Jumps that go on elsewhere: `jmp +0`, `endbr64; jmp *0(%rip)`; a function that only begins
    /// like one is none.
    @Test func `stubs`() throws {
        let text: [UInt8] = [0xe9, 0, 0, 0, 0, 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0, 0, 0, 0, 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xc3]
        let sites = try #require(try MadeELF(text: text).sites())
        #expect([0x1000, 0x1005, 0x100f, 0x1013, 0x9000].map { sites.isStub(LinkAddress($0)) } == [true, true, false, false, false])
    }

    /// The stubs of linked libraries, by the names that llvm-objdump gives them.
    @Test(
        .enabled(if: Tools.hasLLVM, Comment(rawValue: Tools.missingLLVM)),
        arguments: ["x86_64-linux-gnu", "aarch64-linux-gnu", "powerpc64le-linux-gnu", "riscv64-linux-gnu"])
    func `calls into stubs`(target: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/calls.so"
            try Tools.succeed(
                Tools.clang,
                [
                    "--target=" + target, "-O2", "-fPIC", "-shared", "-nostdlib", "-fuse-ld=lld", TestPaths.fixture("calls/calls.c"), "-o",
                    path,
                ])
            let object = try ObjectFiles.open(path: path)
            let sites = try #require(CallSites([object]))
            // `leaf` is the only function of its own that is called directly.
            let start = try #require(symbolAddresses(object)["leaf"])
            var (stubs, own) = (0, 0)
            sites.forEachCall { site in
                guard let target = site.target else { return true }
                if sites.isStub(target) { stubs += 1 }
                if target == start {
                    own += 1
                    if sites.isStub(target) { Issue.record("a function is taken for a stub") }
                }
                return true
            }
            #expect(stubs > 10 && own > 0)
        }
    }

    @Test func `a walk stops where it is asked to`() throws {
        var count = 0
        try MadeELF(text: [UInt8](repeating: 0xe8, count: 50)).sites()?.forEachCall { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
    }

    /// Any bytes as the code of every machine.
    @Test func `hostile code`() throws {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        for machine: UInt16 in [62, 3, 183, 40, 243, 21, 20, 22, 8, 258, 43, 2] {
            for round in 0..<4 {
                let text = (0..<600).map { _ in round == 3 ? 0xff : next() }
                let made = MadeELF(machine: machine, is64Bit: round % 2 == 0, order: round < 2 ? .littleEndian : .bigEndian, text: text)
                guard let sites = try made.sites() else { continue }
                var calls = 0
                sites.forEachCall { site in
                    calls += 1
                    return site.call < site.returnAddress
                }
                for address: UInt64 in (0x0ff0...0x1270).map({ $0 }) + [0, .max] {
                    if case .call(let site) = sites.call(returningTo: LinkAddress(address)) {
                        #expect(site.returnAddress.value == address & ~1 || site.returnAddress.value == address)
                    }
                    if case .call(let site) = sites.call(containing: LinkAddress(address)) { #expect(site.call.value <= address) }
                    _ = sites.isStub(LinkAddress(address))
                    _ = sites.functionStart(containing: LinkAddress(address))
                }
            }
        }
    }

    /// Mach-O of the fixtures against llvm-objdump.
    @Test(.enabled(if: Tools.hasLLVM, Comment(rawValue: Tools.missingLLVM))) func `every call of Mach-O fixtures`() throws {
        var compared = 0
        for path in TestPaths.files(under: TestPaths.fixture("binaries")) where path.contains("/out/") {
            guard let objects = try? ObjectFiles.openAll(path: path), objects.count == 1, let object = objects.first,
                object.description.container == .machO, object.description.kind != .debugCompanion, let sites = CallSites([object])
            else { continue }
            let family: Disassembly.Family =
                object.architecture.hasThumbBit ? .arm : object.architecture.name.hasPrefix("arm64") ? .arm64 : .x86
            let isRelocatable = object.description.kind == .relocatable
            let comparison = Comparison(sites, try Disassembly.llvm(path, family, isMachO: true).sites, withTargets: !isRelocatable)
            #expect(comparison.missing.isEmpty && comparison.extra.isEmpty, "\(path): \(comparison.summary)")
            compared += comparison.count
        }
        #expect(compared > 60)
    }
}
