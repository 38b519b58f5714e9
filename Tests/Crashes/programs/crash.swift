// The crashes of crash.c in Swift, whose handler prints the stack by glibc's functions. The truth stands in comments, as in crash.c.
import Glibc

@_silgen_name("backtrace") func backtrace(_ frames: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ count: Int32) -> Int32
@_silgen_name("backtrace_symbols_fd")
func backtraceSymbols(_ frames: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ count: Int32, _ descriptor: Int32)

nonisolated(unsafe) var sink = 0
nonisolated(unsafe) let frames = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 64)
let heading: StaticString = "Caught signal 11 (SIGSEGV), backtrace:\n"

@inline(never) func printStack() {
    let count = backtrace(frames, 64)  // CALL printStack
    backtraceSymbols(frames, count, 2)
    sink += 1
}

@_cdecl("handler") @inline(never) public func handler(_ number: Int32) {
    write(2, heading.utf8Start, heading.utf8CodeUnitCount)
    printStack()  // CALL handler
    _exit(1)
}

@inline(never) func weigh(_ crate: UnsafeMutablePointer<Int>) -> Int {
    sink += 3
    crate.pointee = sink  // CRASH weigh
    sink += 1
    return sink
}

@inline(never) func load(_ count: Int, _ crate: UnsafeMutablePointer<Int>) -> Int {
    var sum = 0
    for index in 0..<count {
        sum &+= weigh(crate) &+ index  // CALL load
        sink += 1
    }
    return sum
}

@inline(__always) func press(_ crate: UnsafeMutablePointer<Int>) {
    crate.pointee = sink  // CRASH press
}

@inline(__always) func stackUp(_ crate: UnsafeMutablePointer<Int>) {
    sink += 1
    press(crate)  // CALL stackUp
    sink += 2
}

@inline(never) func lower(_ crate: UnsafeMutablePointer<Int>) -> Int {
    sink += 3
    stackUp(crate)  // CALL lower
    return sink
}

// Without debug checks it begins with the store.
@inline(never) func instant(_ crate: UnsafeMutablePointer<Int>, _ value: Int) {
    crate.pointee = value  // CRASH instant
}

func saveMap(_ path: String) {
    guard path != "-", let input = fopen("/proc/self/maps", "r"), let output = fopen(path, "w") else { return }
    while true {
        let byte = fgetc(input)
        if byte < 0 { break }
        fputc(byte, output)
    }
    fclose(input)
    fclose(output)
}

@inline(never) func begin(_ name: String) {
    guard let nowhere = UnsafeMutablePointer<Int>(bitPattern: 16) else { return }
    if name == "middle" {
        // STACK middle: printStack handler | weigh load begin:middle main
        sink += load(3, nowhere)  // CALL begin:middle
    }
    if name == "inlined" {
        // STACK inlined: printStack handler | press stackUp lower begin:inlined main
        sink += lower(nowhere)  // CALL begin:inlined
    }
    if name == "first-instruction" {
        // STACK first-instruction: printStack handler | instant begin:first-instruction main
        instant(nowhere, sink)  // CALL begin:first-instruction
        sink += 1
    }
}

@main struct Program {
    static func main() {
        guard CommandLine.arguments.count > 2 else { exit(64) }
        saveMap(CommandLine.arguments[1])
        sink += Int(backtrace(frames, 4))
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        sigaction(SIGSEGV, &action, nil)
        begin(CommandLine.arguments[2])  // CALL main
        sink += 1
    }
}
