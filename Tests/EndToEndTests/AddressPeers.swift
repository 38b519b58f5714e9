import Synchronization
import TestSupport
import Testing

/// Some addresses of each function that the file's symbol table has: its first, and two after it,
/// as tools look them up.
func functionAddresses(_ path: String) throws -> [String] {
    if let known = knownAddresses.withLock({ $0[path] }) { return known }
    let rows = try Toolchain.run("llvm-nm", ["--defined-only", "--print-size", path]).lines.map { $0.split(separator: " ") }
    // Start files' functions have no size; the tools name the file that they came from, which only
    // a symbol gives.
    let starts = rows.compactMap { row in
        row.count == 4 && ["t", "T", "W"].contains(row[2]) && UInt64(row[1], radix: 16) ?? 0 > 7 ? UInt64(row[0], radix: 16) : nil
    }
    let addresses = Set(starts).sorted().flatMap { start in [0, 3, 7].map { "0x" + String(start + $0, radix: 16) } }
    // Fixtures do not change.
    if path.hasPrefix(TestPaths.fixture("")) { knownAddresses.withLock { $0[path] = addresses } }
    return addresses
}

private let knownAddresses = Mutex<[String: [String]]>([:])

/// Input that no careful program sends (`0x760` is the first address of `main` in
/// `c-clang-dwarf5-O2`): words, signs, numbers of other bases and too large ones, lines without an
/// end.
let hostileLines = """
    garbage

    0xzz
      0x760  and more
    0b11
    017
    0o17
    0x
    -5
    +7
    99999999999999999999999
    ffffffffffffffff
    ,
    \u{1}\u{ff}
    main+
    no_such_function
    no_such_function+4
    """ + "\n" + String(repeating: "1", count: 3000) + "\n0x760"

/// Expects the same output, messages and status of cairn and of the program that it stands for.
func expectSame(_ answered: RunResult, _ expected: RunResult, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(answered.output == expected.output, sourceLocation: sourceLocation)
    #expect(answered.errors == expected.errors, sourceLocation: sourceLocation)
    #expect(answered.status == expected.status, sourceLocation: sourceLocation)
}
