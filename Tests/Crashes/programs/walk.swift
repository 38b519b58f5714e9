// Calls through generics, closures and protocols, as deep as its argument says, and prints its stack as bare addresses.
import Glibc

#if FOUNDATION
    import Foundation
#endif

@_silgen_name("backtrace") func backtrace(_ frames: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ count: Int32) -> Int32

nonisolated(unsafe) var sink = 0
nonisolated(unsafe) var form = ""

@inline(never) func finish() -> Int {
    let frames = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 96)
    let count = Int(backtrace(frames, 96))
    let words = (0..<count).map { "0x" + String(UInt(bitPattern: frames[$0]), radix: 16) }
    print(form == "line" ? "fatal: queue is empty\nBacktrace: " + words.joined(separator: " ") : words.joined(separator: "\n"))
    sink += count
    return count
}

protocol Crate { func weigh(_ path: Int, _ depth: Int) -> Int }

struct Box: Crate {
    var content: [Int]
    @inline(never) func weigh(_ path: Int, _ depth: Int) -> Int {
        let rest = depth > 0 ? next(path / 3, depth - 1) : finish()
        sink += rest
        return content.reduce(rest, &+)
    }
}

final class Barrel: Crate {
    var label = "barrel"
    @inline(never) func weigh(_ path: Int, _ depth: Int) -> Int {
        let rest = depth > 0 ? next(path / 2, depth - 1) : finish()
        sink += label.count
        return rest &+ 1
    }
}

@inline(never) func through<Value>(_ value: Value, _ body: (Value) -> Int) -> Int {
    let rest = body(value)
    sink += rest
    return rest &+ 2
}

@inline(never) func next(_ path: Int, _ depth: Int) -> Int {
    var rest = 0
    switch path % 4 {
    case 0: rest = (Box(content: [path, depth]) as any Crate).weigh(path, depth)
    case 1: rest = (Barrel() as any Crate).weigh(path, depth)
    case 2: rest = depth > 0 ? [depth, 1].map { $0 == depth ? next(path / 5, depth - 1) : 0 }.reduce(0, &+) : finish()
    default: rest = depth > 0 ? through(depth) { next(path / 7, $0 - 1) } : finish()
    }
    sink += rest
    return rest &+ 3
}

#if OTHER
    @inline(never) func added(_ depth: Int) -> String {
        (0..<depth).map { "\($0)" }.joined(separator: ", ")
    }
#endif

@main struct Program {
    static func main() {
        let words = CommandLine.arguments
        guard words.count > 3, let path = Int(words[3]) else { exit(64) }
        form = words[2]
        if let input = fopen("/proc/self/maps", "r"), let output = fopen(words[1], "w") {
            while true {
                let byte = fgetc(input)
                if byte < 0 { break }
                fputc(byte, output)
            }
            fclose(input)
            fclose(output)
        }
        #if OTHER
            sink += added(words.count).count
        #endif
        #if FOUNDATION
            sink += ISO8601DateFormatter().string(from: Date()).count
        #endif
        sink += next(path, path % 6 + 1)
        sink += 1
    }
}
