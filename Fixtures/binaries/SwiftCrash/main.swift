// Crashes in the way its argument names. Fixtures/logs holds what the runtime and the backtracer said.

enum Way: String {
    case index
    case unwrap
    case inlined
}

/// A generic function between the callers, and a closure inside a closure.
@inline(never)
func measured<Result>(_ name: String, _ body: @escaping (Warehouse) -> Result) -> Result {
    let warehouse = Warehouse(shelves: [Shelf(boxes: [7, 9, 11]), Shelf(boxes: [])])
    let run = { () -> Result in
        let result = body(warehouse)
        return result
    }
    return run()
}

@inline(never)
func crash(_ way: Way) -> Int {
    switch way {
    case .index:
        return measured("index") { $0.count(shelf: 0, upTo: 3) }
    case .unwrap:
        return measured("unwrap") { $0.describe(box: 8) }.count
    case .inlined:
        return measured("inlined") { warehouse in
            warehouse.split(CommandLine.arguments.count)
        }
    }
}

guard CommandLine.arguments.count == 2, let way = Way(rawValue: CommandLine.arguments[1]) else {
    print("usage: SwiftCrash index|unwrap|inlined")
    fatalError("no way to crash")
}
print(crash(way))
