/// Turns a crash log's addresses into functions and lines: one import.
///
/// ```swift
/// let symbolicator = Symbolicator(symbols: ["App.dSYM"])
/// print(try symbolicator.symbolicate(contentsOf: "crash.ips").renderedText(by: .text))
/// ```
///
/// The catalog `CrashSymbolication.docc` has an introduction, tutorials, and all types by task.
@_exported public import BinaryPrimitives
@_exported public import CrashLogFormats
@_exported public import CrashLogModel
@_exported public import CrashReports
@_exported public import Demangling
@_exported public import Reporting
@_exported public import SymbolFiles
@_exported public import SymbolSources
@_exported public import Symbolication
