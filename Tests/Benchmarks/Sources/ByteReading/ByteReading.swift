import BinaryPrimitives
import Timing

/// Measures the primitives that all parsers read with, over bytes that are made here:
/// `ByteReading`.
///
/// The values that are read are added up, and their sum is compared with the sum of the written
/// ones: nothing can be left out.
@main
enum ByteReading {
    static let count = 4 << 20

    static func main() throws {
        try measure("take UInt8", integers(UInt8.self)) { try sum(UInt8.self, .littleEndian, &$0) }
        try measure("take UInt16", integers(UInt16.self)) { try sum(UInt16.self, .littleEndian, &$0) }
        let words = integers(UInt32.self)
        try measure("take UInt32", words) { try sum(UInt32.self, .littleEndian, &$0) }
        try measure("take UInt64", integers(UInt64.self)) { try sum(UInt64.self, .littleEndian, &$0) }
        try measure("take unsigned of 4 bytes, size not constant", words) {
            var sum: UInt64 = 0
            while $0.byteCount > 0 { sum &+= try $0.readUnsigned(size: 4, .littleEndian) }
            return sum
        }
        for bits: UInt64 in [7, 14, 28, 63] {
            let made = variable(bits: bits)
            try measure("take ULEB128 below 2^\(bits)", made) {
                var sum: UInt64 = 0
                while $0.byteCount > 0 { sum &+= try $0.readULEB128() }
                return sum
            }
            try measure("skip LEB128 below 2^\(bits)", made) {
                while $0.byteCount > 0 { try $0.skipLEB128() }
                return made.sum
            }
        }
    }

    /// Bytes of fixed-size integers, and their sum.
    static func integers<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> (bytes: [UInt8], sum: UInt64) {
        var numbers = RandomNumbers(seed: 2008)
        var bytes: [UInt8] = []
        var sum: UInt64 = 0
        for _ in 0..<count {
            let value = Value(truncatingIfNeeded: numbers.next())
            sum &+= UInt64(value)
            for byte in 0..<MemoryLayout<Value>.size { bytes.append(UInt8(truncatingIfNeeded: value >> Value(8 * byte))) }
        }
        return (bytes, sum)
    }

    /// ULEB128 (DWARF 5, section 7.6) of values below 2^bits, and their sum.
    static func variable(bits: UInt64) -> (bytes: [UInt8], sum: UInt64) {
        var numbers = RandomNumbers(seed: 2008)
        var bytes: [UInt8] = []
        var sum: UInt64 = 0
        for _ in 0..<count {
            var value = numbers.next() & (1 << bits - 1)
            sum &+= value
            while value >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
                value >>= 7
            }
            bytes.append(UInt8(value))
        }
        return (bytes, sum)
    }

    static func measure(_ name: String, _ made: (bytes: [UInt8], sum: UInt64), _ read: (inout RawSpan) throws -> UInt64) rethrows {
        try Timing(name).measure("values", bytes: made.bytes.count) {
            var cursor = made.bytes.span.bytes
            let sum = try read(&cursor)
            guard sum == made.sum, cursor.byteCount == 0 else { fatalError("\(name): \(sum) read, \(made.sum) written") }
            return count
        }
    }

    static func sum<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type, _ order: ByteOrder, _ cursor: inout RawSpan) throws -> UInt64
    {
        var sum: UInt64 = 0
        while cursor.byteCount > 0 { sum &+= UInt64(truncatingIfNeeded: try cursor.read(Value.self, order)) }
        return sum
    }
}
