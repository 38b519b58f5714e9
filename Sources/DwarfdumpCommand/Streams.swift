internal import CCairn
internal import Console

/// The complaint of every program, to where standard error is since libdwarf's own messages go
/// nowhere (`cairn_contain_errors`).
func complain(_ message: String) { complain(message, to: cairn_contain_error_descriptor()) }
