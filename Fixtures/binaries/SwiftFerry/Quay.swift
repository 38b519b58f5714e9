// A Swift library, optimized: generic code, inlined calls, callbacks through C.
import Winch

public struct Crate {
    public var weight: Int
    public var label: String?

    public init(weight: Int, label: String?) {
        self.weight = weight
        self.label = label
    }
}

@inline(__always)
func stamped(_ crate: Crate) -> String {
    checked(crate.label)  // the label is missing
}

@inline(__always)
func checked(_ label: String?) -> String {
    guard let label else { fatalMissing() }
    return label
}

@inline(__always)
func fatalMissing() -> Never {
    preconditionFailure("a crate without a label")
}

public final class Crane<Load> {
    private let loads: [Load]
    private let weigh: (Load) -> Crate
    private var manifest: [String] = []

    public init(_ loads: [Load], weigh: @escaping (Load) -> Crate) {
        self.loads = loads
        self.weigh = weigh
    }

    @inline(never)
    func record(_ index: Int) -> Int {
        let crate = weigh(loads[index])
        manifest.append(stamped(crate))
        return crate.weight
    }

    @inline(never)
    public func unload() -> Int {
        let sum = withLift { winch_pull(Int32(loads.count), $0, $1) }
        return Int(sum) + manifest.count
    }

    /// C takes a function and a context; the function here finds the crane in the context again.
    @inline(never)
    private func withLift(_ body: (winch_hook, UnsafeMutableRawPointer) -> Int32) -> Int32 {
        let lift = Lift { [unowned self] in self.record($0) }
        return withExtendedLifetime(lift) { body(hook, Unmanaged.passUnretained(lift).toOpaque()) }
    }
}

final class Lift {
    let record: (Int) -> Int

    init(_ record: @escaping (Int) -> Int) { self.record = record }
}

private func hook(load: Int32, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    return Int32(Unmanaged<Lift>.fromOpaque(context).takeUnretainedValue().record(Int(load)))
}

/// A line that is let down ever deeper, by C and Swift in turn: recursion without an end.
public struct Sounding {
    public var depth: Int

    public init(depth: Int) { self.depth = depth }

    @inline(never)
    public func sound() -> Int32 {
        winch_pull(1, { load, context in Sounding(depth: Int(bitPattern: context)).deeper(by: load + 1) }, UnsafeMutableRawPointer(bitPattern: depth))
    }

    @inline(__always)
    func deeper(by fathoms: Int32) -> Int32 { Sounding(depth: depth &+ Int(fathoms)).sound() &+ 1 }
}

/// A thread's whole work: to wait, inside C, below Swift.
public struct Watchman {
    public init() {}

    @inline(never)
    public func watch() -> Int {
        winch_wait("watchman")
        return 1
    }
}
