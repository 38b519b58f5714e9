// A program of Swift that crashes in the way that its first argument names. CHAIN: see faults.c.
@inline(never) func trap(_ n: Int) -> Int { let list = [n]; return list[n + 5] }
@inline(never) func inner(_ n: Int) -> Int { trap(n + 1) + n }
// CHAIN trap: trap inner outer
@inline(never) func outer(_ n: Int) -> Int { inner(n) + 1 }

// CHAIN async: trap inner
@inline(never) func suspended(_ n: Int) async -> Int {
    try? await Task.sleep(nanoseconds: 20_000_000)
    return inner(n) + 1
}
@inline(never) func waiting(_ n: Int) async -> Int { await suspended(n) + 2 }

// CHAIN throws: trap inner thrown
struct Problem: Error {}
@inline(never) func thrower(_ n: Int) throws -> Int { if n > 0 { throw Problem() }; return n }
@inline(never) func thrown(_ n: Int) -> Int { do { return try thrower(n) } catch { return inner(n) + 3 } }

// CHAIN closure: trap inner
// CHAIN unwrap: unwrap
// swift-format-ignore: NeverForceUnwrap
@inline(never) func unwrap(_ n: Int?) -> Int { n! + 1 }
final class Owner { let n: Int; init(_ n: Int) { self.n = n }; deinit { print(inner(n)) } }
// CHAIN deinit: trap inner
@inline(never) func release(_ n: Int) { _ = Owner(n) }

@main struct Main {
    static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "trap": print(outer(1))
        case "async": print(await waiting(1))
        case "throws": print(thrown(1))
        case "closure": print([1, 2].map { inner($0) })
        case "unwrap": print(unwrap(Int("x")))
        case "deinit": release(1)
        default: break
        }
    }
}
