import BinaryPrimitives
import TestSupport
import Testing

@testable import ObjectFiles

/// Trees of exported names, byte by byte (`mach-o/loader.h`: each node is its entry's size, its
/// entry, its number of children, and the children).
struct ExportsTrieTests {
    private func decode(_ bytes: [UInt8], limits: Limits = .standard) -> (entries: [ExportsTrie.Entry], problem: String?) {
        ExportsTrie.decode(bytes.span.rawBytes, limits: limits)
    }

    /// `_` then `main` (at 0x3f10) and `mh` (at 0): the root at 0, the node for `_` at 5, its
    /// children at 17 and 22.
    private let small: [UInt8] = {
        var tree: [UInt8] = [0, 1, 0x5f, 0, 5]
        tree += [0, 2] + Array("main".utf8) + [0, 17] + Array("mh".utf8) + [0, 22]
        // Three bytes: flags 0, then 0x3f10 as ULEB128: 0x10 | 0x80, 0x7e.
        tree += [3, 0, 0x90, 0x7e, 0]
        tree += [2, 0, 0, 0]
        return tree
    }()

    @Test func `names are put together from the edges that lead to them, in the order of the tree`() {
        let (entries, problem) = decode(small)
        #expect(entries == [.init(name: "_main", offset: 0x3f10), .init(name: "_mh", offset: 0)])
        #expect(problem == nil)
    }

    @Test func `an inner node may be an export itself`() {
        // `a` at 0x10 has the child `ab` at 0x20.
        let tree: [UInt8] = [0, 1, 0x61, 0, 5, 2, 0, 0x10, 1, 0x62, 0, 12, 2, 0, 0x20, 0]
        #expect(decode(tree).entries == [.init(name: "a", offset: 0x10), .init(name: "ab", offset: 0x20)])
    }

    /// Flags 8: re-exported from another image (then an ordinal and a name); flags 2: an absolute
    /// number; flags 0x10: the stub's address, then the resolver's.
    @Test func `only what has an address in this image is an export of it`() {
        let reexport: [UInt8] = [0, 1, 0x61, 0, 5, 4, 8, 1, 0x62, 0, 0]
        let absolute: [UInt8] = [0, 1, 0x61, 0, 5, 2, 2, 0x10, 0]
        let resolver: [UInt8] = [0, 1, 0x61, 0, 5, 3, 0x10, 0x20, 0x30, 0]
        #expect(decode(reexport).entries.isEmpty && decode(reexport).problem == nil)
        #expect(decode(absolute).entries.isEmpty && decode(absolute).problem == nil)
        #expect(decode(resolver).entries == [.init(name: "a", offset: 0x20)])
    }

    @Test func `a circle is left where it closes`() {
        // The child `a` of the root is the root.
        #expect(decode([0, 1, 0x61, 0, 0]).problem == "the node at byte 0 has two parents")
        // Two edges to one node would double the tree with each level.
        #expect(decode([0, 2, 0x61, 0, 8, 0x62, 0, 8, 0, 0]).problem == "the node at byte 8 has two parents")
    }

    @Test(arguments: 0..<26) func `a tree that is cut short gives what came before, with the reason`(count: Int) {
        let (entries, problem) = decode(Array(small.prefix(count)))
        // Both children must begin inside (at 17 and 22) for their parent to be one; the entry of
        // `_mh` ends before byte 25.
        #expect(entries.count == (count >= 23 ? 1 : 0) + (count >= 25 ? 1 : 0))
        #expect((problem == nil) == (count == 0))
    }

    @Test func `names are capped in length and in all`() {
        var limits = Limits()
        limits.nameLength = 3
        #expect(decode(small, limits: limits).problem == "a name of more than 3 bytes")
        limits = Limits()
        limits.exportNames = 5
        #expect(decode(small, limits: limits).entries.count == 2)
        #expect(decode(small, limits: limits).problem == "names of more than 5 bytes in all")
    }
}
