/// Everything that a program needs to turn a crash log's addresses into functions and lines: one import.
///
/// ```swift
/// let log = try CrashLog(bytes)
/// let symbolicator = Symbolicator(symbols: ["App.dSYM"])
/// let answered = symbolicator.symbolicate(log)
/// let text = answered.rendered(by: .text)
/// ```
///
/// `CrashLog` finds the traces (`CrashReport`) in a log's bytes; `Symbolicator` answers their frames from symbol files; a `Renderer` writes the result: `.same`
/// (the log itself, answered in place), `.text` or `.json`. All are values and `Sendable`; none needs concurrency, and any number of tasks may share a symbolicator.
///
/// To plug in: a log format is a `LineFormat` or `DocumentFormat` in a `FormatRegistry`; a place for symbol files is a `DebugFileLocator`; symbols from elsewhere
/// are a `SymbolProvider`; an output is a `Renderer`.
@_exported public import BinaryPrimitives
@_exported public import CrashReports
@_exported public import Demangling
@_exported public import Reporting
@_exported public import SymbolFiles
@_exported public import SymbolSources
@_exported public import Symbolication
