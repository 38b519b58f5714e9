// Stops in the runtime, which prints its stack where the backtracer is off; the handler of the signal that follows tells the memory map.
import Glibc

@inline(never) func lift(_ heights: [Int], _ index: Int) -> Int { heights[index] }

@inline(never) func carry(_ index: Int) -> Int { lift([1, 2, 3], index * 2) + 1 }

func copyMap(_ number: Int32) {
    let map = open("/proc/self/maps", O_RDONLY)
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
        let count = read(map, &buffer, buffer.count)
        guard count > 0 else { break }
        write(2, buffer, count)
    }
    _exit(1)
}

signal(SIGILL, copyMap)
signal(SIGTRAP, copyMap)
print(carry(Int(CommandLine.argc) + 3))
