// The system's C library under one name, whichever system it is: who needs `open(2)` writes
// `import LibC`.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Darwin
#endif
