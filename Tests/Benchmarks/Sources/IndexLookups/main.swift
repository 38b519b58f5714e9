// Measures lookups in a symbol index, in process, on one core: IndexLookups OBJECT [COUNT [CHECKED]]
//
// Makes the index in a temporary file, asks it COUNT random addresses of the executable sections (1,000,000), and, for CHECKED of them, compares what it says with what the file itself says.
import BinaryPrimitives
import ObjectFiles
import SymbolSources

let arguments = CommandLine.arguments
guard arguments.count > 1 else { fatalError("usage: IndexLookups OBJECT [COUNT [CHECKED]]") }
let count = arguments.count > 2 ? Int(arguments[2]) ?? 1_000_000 : 1_000_000
let checked = arguments.count > 3 ? Int(arguments[3]) ?? 2000 : 2000

/// A fixed sequence (SplitMix64), so that runs can be compared.
struct Numbers {
    var state: UInt64 = 7
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

let object = try ObjectFiles.open(path: arguments[1])
Allocation.returnLargeBlocks()
let clock = ContinuousClock()
var made: SymbolIndex?
let building = try clock.measure { made = try IndexWriter.make(object) }
guard let index = made else { fatalError("no index was made") }
print("built in \(building), \(index.file.size) bytes")
for (table, size) in index.tableSizes { print("  \(table): \(size)") }

let code = object.description.sections.filter { $0.isLoaded && $0.isExecutable }
let total = code.reduce(0) { $0 + $1.size }
var numbers = Numbers()
var addresses: [LinkAddress] = []
for _ in 0..<count {
    var place = numbers.next() % total
    for section in code {
        if place < section.size {
            addresses.append(LinkAddress(section.address.value + place))
            break
        }
        place -= section.size
    }
}
for round in 1...3 {
    var (frames, known, sum) = (0, 0, UInt64(0))
    let time = clock.measure {
        index.forEachAnswer(at: addresses) { _, answer, found in
            frames += found.count
            if case .debugInformation = answer { known += 1 }
            if let first = found.first { sum &+= UInt64(first.line) }
        }
    }
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    print("round \(round): \(Double(count) / seconds / 1e6) M lookups a second, \(frames) frames, \(known) known, lines \(sum)")
}

let sample = addresses.prefix(checked).sorted()
let direct = ObjectSource([object]).frames(at: sample)
let indexed = IndexSource(index).frames(at: sample)
var differing = 0
for (address, (first, second)) in zip(sample, zip(direct, indexed)) where first != second {
    differing += 1
    if differing <= 5 { print("\(address)\n  file  \(first)\n  index \(second)") }
}
print("\(differing) of \(sample.count) answers differ")
