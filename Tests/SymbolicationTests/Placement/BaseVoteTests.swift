import BinaryPrimitives
import CallSites
import ObjectFiles
import TestSupport
import Testing

@testable import Symbolication

/// Load addresses from nothing but return addresses. The truth is the load bias that each test
/// chooses; return addresses are call sites of a real program, moved by it.
@Suite struct BaseVoteTests {
    private struct Program {
        let witness: CodeWitness
        let sites: [UInt64]
        let code: Range<UInt64>

        init(_ name: String) throws {
            let object = try #require(try ObjectFiles.openAll(path: TestPaths.fixture("binaries/" + name)).first)
            witness = try #require(CodeWitness([object]))
            let calls = try #require(witness.callSites)
            var found: [UInt64] = []
            calls.forEachCall {
                found.append($0.returnAddress.value)
                return true
            }
            sites = found
            code = try #require(
                calls.code.map { $0.lowerBound.value..<$0.upperBound.value }.max { $0.count < $1.count })
        }

        func outcome(_ addresses: [UInt64], exact: Set<Int> = [], interrupted: Set<Int> = []) -> BaseVote.Outcome? {
            let rows = addresses.enumerated().map {
                BaseVote.Row(
                    address: RuntimeAddress($1), isExact: exact.contains($0), mayBeInterrupted: interrupted.contains($0))
            }
            return BaseVote([rows], witness)?.outcome()
        }
    }

    private static let bias: UInt64 = 0x55d3_1c92_6000

    @Test(arguments: ["SwiftFerry/out/ferry", "MachOCXX/out/shapes-arm64"])
    func `four and more addresses find the base, and no other`(name: String) throws {
        let program = try Program(name)
        var numbers = SeededNumbers(seed: 11)
        var found = 0
        let trials = 60
        for trial in 0..<trials {
            // Pages of 16 KB, as Apple's arm64 systems have.
            let bias = UInt64.random(in: 0x5555_5555_5...0x5655_5555_5, using: &numbers) << 14
            let count = 4 + trial % 8
            let addresses = (0..<count).map { _ in program.sites.randomElement(using: &numbers).map { $0 + bias } ?? 0 }
            let outcome = program.outcome(addresses)
            if case .found(let finding)? = outcome {
                #expect(finding.bias == bias)
                #expect(finding.explained == Set(addresses).count)
                found += 1
            }
        }
        #expect(found * 10 >= trials * 9)
    }

    @Test func `two addresses are too few`() throws {
        let program = try Program("SwiftFerry/out/ferry")
        #expect(program.outcome(program.sites.prefix(2).map { $0 + Self.bias }) == nil)
    }

    @Test func `another program's addresses find none`() throws {
        let (program, other) = (try Program("SwiftFerry/out/ferry"), try Program("SwiftCrash/out/SwiftCrash-O"))
        var numbers = SeededNumbers(seed: 5)
        for _ in 0..<40 {
            let addresses = (0..<8).map { _ in other.sites.randomElement(using: &numbers).map { $0 + Self.bias } ?? 0 }
            if case .found(let finding)? = program.outcome(addresses) { Issue.record("found \(finding)") }
        }
    }

    @Test func `an address in the image that no call returns to speaks against it`() throws {
        let program = try Program("SwiftFerry/out/ferry")
        let known = Set(program.sites)
        let free = try #require(
            (program.code.lowerBound..<program.code.upperBound).first { !known.contains($0) && $0 > program.code.lowerBound + 64 })
        let sites = stride(from: 3, to: program.sites.count, by: max(1, program.sites.count / 9)).map { program.sites[$0] }
        let addresses = (sites + [free]).map { $0 + Self.bias }
        let last = addresses.count - 1
        guard case .unclear? = program.outcome(addresses) else { Issue.record("found although \(free) contradicts"); return }
        // An interrupted instruction and the program counter do not contradict.
        for outcome in [program.outcome(addresses, interrupted: [last]), program.outcome(addresses, exact: [last])] {
            guard case .found(let finding)? = outcome else { Issue.record("not found"); continue }
            #expect(finding.bias == Self.bias)
        }
    }

    /// Longer than the rows by which a load address is tested first.
    @Test func `a long stack finds the base, and one row in a thousand that no call returns to speaks against it`() throws {
        let program = try Program("SwiftFerry/out/ferry")
        let known = Set(program.sites)
        let free = try #require(
            (program.code.lowerBound..<program.code.upperBound).first { !known.contains($0) && $0 > program.code.lowerBound + 64 })
        let stack = (0..<1000).map { program.sites[$0 * 7 % program.sites.count] + Self.bias }
        guard case .found(let finding)? = program.outcome(stack) else { Issue.record("not found"); return }
        #expect(finding.bias == Self.bias)
        for position in [0, 20, 300] {
            var damaged = stack
            damaged[position] = free + Self.bias
            guard case .unclear? = program.outcome(damaged) else { Issue.record("found although row \(position) contradicts"); continue }
        }
    }

    @Test func `a long stack of no return addresses has no base`() throws {
        let program = try Program("SwiftFerry/out/ferry")
        let known = Set(program.sites)
        let free = (program.code.lowerBound + 64..<program.code.upperBound).filter { !known.contains($0) }
        let stack = (0..<1000).map { free[$0 * 13 % free.count] + Self.bias }
        guard case .unclear? = program.outcome(stack) else { Issue.record("found"); return }
    }
}
