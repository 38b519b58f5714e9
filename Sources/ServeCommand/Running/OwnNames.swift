internal import Serving

// Hummingbird's types have the same names.
typealias Request = Serving.Request
typealias Response = Serving.Response
