internal import CCairn
internal import Console

/// Reports an error on the original standard error, because libdwarf's own messages are discarded
/// (`cairn_contain_errors`).
func complain(_ message: String) { complain(message, to: cairn_contain_error_descriptor()) }
