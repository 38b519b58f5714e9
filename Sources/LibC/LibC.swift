// The system's C library under one name on all systems: files that need `open(2)` write `import
// LibC`.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Darwin
#endif
