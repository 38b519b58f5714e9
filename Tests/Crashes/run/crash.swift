// A program of Swift that crashes in the way that its argument names. CRASH: see crash.c.
import Glibc

@_silgen_name("fork") func forkProcess() -> Int32
nonisolated(unsafe) var kept: UnsafeMutableRawPointer?
nonisolated(unsafe) var zero = CommandLine.arguments.count > 9 ? 1 : 0

@inline(never) func writeNull() {
    UnsafeMutablePointer<Int32>(bitPattern: zero + 8)?.pointee = 1  // CRASH segv, thread, child, fork: writeNull
    zero += 0
}

@inline(never) func callNull() {
    let function = unsafeBitCast(zero + 8, to: (@convention(c) () -> Void).self)
    function()  // CRASH call: callNull
    zero += 0
}

@inline(never) func giveUp() {
    abort()  // CRASH abort: giveUp
}

@inline(never) func check(_ number: Int) {
    precondition(number == 1, "not one")  // CRASH assert: check
    zero += 0
}

struct Problem: Error {}
@inline(never) func thrower(_ number: Int) throws { if number == 0 { throw Problem() } }
@inline(never) func fails() {
    // swift-format-ignore: NeverUseForceTry
    try! thrower(zero)  // CRASH exception: fails
    zero += 0
}

@inline(never) func freeTwice() {
    // Kept where the optimizer cannot see it: a pair of calls is left out.
    kept = malloc(99)
    let memory = kept
    free(memory)
    free(memory)  // CRASH free: freeTwice
    zero += 0
}

@inline(never) func deep(_ n: Int) -> Int { deep(n + 1) &* 3 ^ (n + zero) }  // CRASH overflow: deep

@inline(never) func readBeyond() -> UInt8 {
    let file = tmpfile()
    let map = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0)
    return map?.load(fromByteOffset: 7, as: UInt8.self) ?? 0  // CRASH bus: readBeyond
}

@inline(never) func trap(_ list: [Int]) -> Int {
    list[list.count + zero]  // CRASH trap: trap
}

@inline(never) func inLibrary() {
    let library = dlopen("./library.so", RTLD_NOW)
    let function = unsafeBitCast(dlsym(library, "crash_in_library"), to: (@convention(c) () -> Void).self)
    function()
    zero += 0
}

@main struct Main {
    static func main() {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        print("before \(name)")
        fflush(stdout)
        switch name {
        case "segv": writeNull()
        case "call": callNull()
        case "abort": giveUp()
        case "assert": check(zero)
        case "exception": fails()
        case "free": freeTwice()
        case "overflow": print(deep(1))
        case "bus": print(readBeyond())
        case "trap": print(trap([1]))
        case "thread":
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { _ in
                    writeNull(); return nil
                }, nil)
            pthread_join(thread, nil)
        case "child":
            var child: pid_t = 0
            let program = CommandLine.arguments[0]
            var arguments = [strdup(program), strdup("segv"), nil]
            posix_spawn(&child, program, nil, nil, &arguments, environ)
            waitpid(child, nil, 0)
            exit(5)
        case "fork":
            let child = forkProcess()
            if child == 0 { writeNull() }
            waitpid(child, nil, 0)
            exit(5)
        case "library": inLibrary()
        default: break
        }
        exit(3)
    }
}
