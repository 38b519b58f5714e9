internal import LibC

/// Pieces of work that one thread makes and others do, first in, first out, as far as they weigh
/// together no more than they may.
@safe package final class WorkQueue<Element: Sendable>: Sendable {
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) let condition: UnsafeMutablePointer<pthread_cond_t>
    /// Accessed only while the mutex is held.
    private nonisolated(unsafe) var elements: [(element: Element, weight: Int)?] = []
    private nonisolated(unsafe) var first = 0
    private nonisolated(unsafe) var weight = 0
    private nonisolated(unsafe) var isClosed = false
    private let maxWeight: Int

    /// - Parameter most: maximum total weight of the waiting elements, in bytes. One element may
    ///   always wait.
    package init(maxWeight: Int) {
        self.maxWeight = maxWeight
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe _ = pthread_mutex_init(mutex, nil)
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe _ = pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe _ = pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        unsafe _ = pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// - Returns: whether there was room; if not, the caller should process some work itself.
    package func add(_ element: Element, weight: Int) -> Bool {
        unsafe _ = pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        guard unsafe self.weight == 0 || self.weight + weight <= maxWeight else { return false }
        unsafe elements.append((element, weight))
        unsafe self.weight += weight
        unsafe _ = pthread_cond_signal(condition)
        return true
    }

    /// Nothing waits, and something may come.
    package var isIdle: Bool {
        unsafe _ = pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        return unsafe first == elements.count && !isClosed
    }

    /// Nothing more will be added.
    package func close() {
        unsafe _ = pthread_mutex_lock(mutex)
        unsafe isClosed = true
        unsafe _ = pthread_cond_broadcast(condition)
        unsafe _ = pthread_mutex_unlock(mutex)
    }

    /// The next element, waited for until there is one; `nil` when there will be none any more.
    /// - Parameter waits: whether to wait for an element; otherwise `nil` also means that there is
    ///   none yet.
    package func next(waits: Bool = true) -> Element? {
        unsafe _ = pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        while unsafe first == elements.count {
            if unsafe isClosed || !waits { return nil }
            unsafe _ = pthread_cond_wait(condition, mutex)
        }
        // Nothing of it is kept, although the queue may never be empty again.
        let entry = unsafe elements[first].take()
        unsafe first += 1
        unsafe self.weight -= entry?.weight ?? 0
        if unsafe first == elements.count {
            unsafe elements.removeAll(keepingCapacity: true)
            unsafe first = 0
        } else if unsafe first >= 1024, unsafe first * 2 >= elements.count {
            unsafe elements.removeFirst(first)
            unsafe first = 0
        }
        return entry?.element
    }
}
