package import Synchronization

/// A value that is made when it is first needed, on any thread.
package final class LazyValue<Value: Sendable>: Sendable {
    @usableFromInline let value = Mutex<Value?>(nil)
    @usableFromInline let make: @Sendable () -> Value

    @inlinable package init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    @inlinable package func get() -> Value {
        value.withLock { known in
            if let known { return known }
            let newValue = make()
            known = newValue
            return newValue
        }
    }
}
