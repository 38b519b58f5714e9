// A library that crash.swift opens. CRASH: see crash.c.
nonisolated(unsafe) var zero = CommandLine.arguments.count > 9 ? 1 : 0
@inline(never) func writeThere() {
    UnsafeMutablePointer<Int32>(bitPattern: zero + 8)?.pointee = 1  // CRASH library: writeThere
    zero += 0
}
@_cdecl("crash_in_library") public func crashInLibrary() {
    writeThere()
    zero += 0
}
