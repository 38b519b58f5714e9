/// Whoever finds reports in logs works with reports and their formats: one import.
@_exported public import CrashLogFormats
@_exported public import CrashLogModel
