// Crashes in the way its argument names, in a program and two libraries. Fixtures/logs holds what the runtime and the backtracer said.
import Glibc
import Quay
import Winch

enum Way: String {
    /// A Swift library's check fails, called back from C.
    case label
    /// What the Swift library calls in the program fails: the runtime says so, and where.
    case luggage
    /// C reads where nothing is mapped.
    case chain
    /// Recursion without an end.
    case depth
}

struct Passenger {
    var luggage: Crate?
}

/// The second thread waits in the libraries while the first crashes.
func postWatchman() {
    var thread = pthread_t()
    pthread_create(&thread, nil, { _ in
        print(Watchman().watch())
        return nil
    }, nil)
    usleep(200_000)
}

func board(_ way: Way) -> Int {
    switch way {
    case .label:
        let passengers = [Passenger(luggage: Crate(weight: 3, label: "books")), Passenger(luggage: Crate(weight: 5, label: nil))]
        return Crane(passengers) { $0.luggage ?? Crate(weight: 0, label: "none") }.unload()
    case .luggage:
        return Crane([Passenger(luggage: nil)]) { $0.luggage! }.unload()
    case .chain:
        let lengths = [3].map { links in winch_follow(Int32(links)) }
        return lengths.reduce(0) { $0 + Int($1) }
    case .depth:
        return Int(Sounding(depth: 0).sound())
    }
}

guard CommandLine.arguments.count == 2, let way = Way(rawValue: CommandLine.arguments[1]) else {
    print("usage: ferry label|luggage|chain|depth")
    exit(64)
}
if way != .depth { postWatchman() }
print(board(way))
