import LibC

/// Waits until the system shows something that nothing reports: the state of a process in `/proc`,
/// a lock that somebody waits for.
/// - Returns: whether it came within a minute, which only a failure takes.
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<6000 {
        if try condition() { return true }
        usleep(10_000)
    }
    return false
}

/// The processor time that this thread spends in `body` (`clock_gettime(2)`): other tests run
/// beside it, so that the time of day says little about the work.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    let start = threadTime()
    try body()
    return threadTime() - start
}

private func threadTime() -> Duration {
    var time = timespec()
    unsafe _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
