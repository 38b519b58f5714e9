// A granary with eleven bugs, one for each name: granary BUG.
// Lines that begin with //+N are part of version N and later, with //-N of those before N; `make-version` makes one of them.
import Dispatch

/// Keeps the compiler from knowing a value.
@inline(never) @_optimize(none) func hidden<Value>(_ value: Value) -> Value { value }

//+2 /// Of no use to any bug: it moves what follows.
//+2 @inline(never) func padding(_ value: Int) -> Int {
//+2     var value = value
//+2     for step in 0..<7 { value = value &* 31 &+ step }
//+2     return value
//+2 }

/// What many bugs have in common: where conditions are checked.
func require(_ condition: Bool, _ what: String) {
    //+2 sink &+= what.utf8.count
    guard !condition else { return }
    fatalError("not so: \(what)")
}

nonisolated(unsafe) var sink = 0

struct Sack {
    var weight: Int
    var label: String?
}

final class Silo {
    var sacks = [Sack(weight: 3, label: nil), Sack(weight: 4, label: "rye")]

    func take(_ index: Int) -> Int {
        let sack = sacks[index]
        return sack.weight + sink
    }

    func label(of index: Int) -> String {
        let sack = sacks[index]
        return sack.label! + "!"
    }
    //+3 func count() -> Int { sacks.count &+ sink }
}

struct Mill {
    var turns = 0

    mutating func grind(_ sack: Sack) {
        require(sack.weight > 10, "there is enough to grind")
        turns += sack.weight
    }
    //+2 mutating func rest() { turns = padding(turns) }
    mutating func sift(_ sack: Sack) {
        require(sack.label != nil, "the sack is labelled")
        turns += 1
    }
}

struct Scale<Number: FixedWidthInteger> {
    var tare: Number

    func weigh(_ load: Number) -> Number {
        let sum = load + tare
        return sum
    }
}

struct Inventory {
    var sacks: [Sack]

    func heaviest(limit: Int) -> [Int] {
        sacks.map { sack in
            let rest = limit / sack.weight
            return rest + 1
        }
    }
}

enum Grain: String { case rye, wheat }

struct BadGrain: Error { var text: String }

struct Reader {
    func parse(_ text: String) throws -> Grain {
        guard let grain = Grain(rawValue: text) else { throw BadGrain(text: text) }
        return grain
    }
    func first(_ texts: [String]) -> Grain {
        let grain = try! parse(texts[0])
        sink += 1
        return grain
    }
}

struct Register {
    func build(_ names: [String]) -> Int {
        let table = Dictionary(uniqueKeysWithValues: names.map { ($0, $0.utf8.count) })
        return table.count
    }
}

class Vehicle { func load() -> Int { 1 } }
final class Cart: Vehicle {}
final class Barge: Vehicle { var draught = 2 }

struct Sorter {
    func draught(_ vehicle: Vehicle) -> Int {
        let barge = vehicle as! Barge
        return barge.draught + 1
    }
}

struct Chute {
    func drop(_ address: UInt) -> Int {
        let pointer = UnsafePointer<Int>(bitPattern: address).unsafelyUnwrapped
        return pointer.pointee + sink
    }
}

actor Courier {
    var trips = 0

    func deliver(_ sack: Sack) async -> Int {
        trips += 1
        await Task.yield()
        return stow(sack)
    }
    private func stow(_ sack: Sack) -> Int {
        let weights = [1, 2]
        return weights[sack.weight] + trips
    }
}

/// What all jobs go through.
struct Dispatcher {
    var jobs: [String: () async -> Int] = [:]

    //+3 @inline(never) func timed(_ job: () async -> Int) async -> Int {
    //+3     let result = await job()
    //+3     return padding(result)
    //+3 }
    func dispatch(_ name: String) async -> Int {
        guard let job = jobs[name] else { return -1 }
        //-3 let result = await job()
        //+3 let result = await timed(job)
        return result + sink
    }
}

func addJobs(_ dispatcher: inout Dispatcher) {
    dispatcher.jobs["index"] = { Silo().take(hidden(7)) }
    dispatcher.jobs["unwrap"] = { Silo().label(of: hidden(0)).utf8.count }
    dispatcher.jobs["require-grind"] = {
        var mill = Mill()
        mill.grind(hidden(Sack(weight: 1)))
        return mill.turns
    }
    dispatcher.jobs["require-sift"] = {
        var mill = Mill()
        mill.sift(hidden(Sack(weight: 1)))
        return mill.turns
    }
    dispatcher.jobs["overflow"] = { Int(Scale<Int8>(tare: 100).weigh(hidden(100))) }
    dispatcher.jobs["closure-divide"] = { Inventory(sacks: hidden([Sack(weight: 1), Sack(weight: 0)])).heaviest(limit: 7).count }
    dispatcher.jobs["try"] = { Reader().first(hidden(["oats"])).rawValue.utf8.count }
    dispatcher.jobs["keys"] = { Register().build(hidden(["a", "b", "a"])) }
    dispatcher.jobs["cast"] = { Sorter().draught(hidden(Cart())) }
    dispatcher.jobs["chute"] = { Chute().drop(hidden(8)) }
    dispatcher.jobs["actor"] = { await Courier().deliver(hidden(Sack(weight: 5))) }
}

//+2 func greet(_ name: String) { if hidden(false) { print(name, "begins") } }

@main struct Main {
    static func main() async {
        guard CommandLine.arguments.count == 2 else { return }
        var dispatcher = Dispatcher()
        addJobs(&dispatcher)
        //+2 greet(CommandLine.arguments[1])
        print(await dispatcher.dispatch(CommandLine.arguments[1]))
    }
}
