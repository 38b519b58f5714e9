// Tasks that wait for one another, until the innermost of them traps on a thread of the concurrency runtime.

enum RouteError: Error {
    case lost(stop: Int)
}

actor Depot {
    private var parcels: [String: Int]

    init(parcels: [String: Int]) {
        self.parcels = parcels
    }

    func weight(of parcel: String) -> Int {
        parcels[parcel]!  // traps: Unexpectedly found nil while unwrapping an Optional value
    }
}

struct Courier {
    let depot: Depot

    func pickUp(_ parcel: String) async throws -> Int {
        let weight = await depot.weight(of: parcel)
        guard weight > 0 else {
            throw RouteError.lost(stop: weight)
        }
        return weight
    }

    func deliver(_ parcels: [String]) async throws -> Int {
        var total = 0
        for parcel in parcels {
            total += try await pickUp(parcel)
        }
        return total
    }
}

@main
struct Office {
    static func main() async throws {
        let depot = Depot(parcels: ["book": 2, "lamp": 5])
        let courier = Courier(depot: depot)
        let total = try await courier.deliver(["book", "lamp", "piano"])
        print(total)
    }
}
