/// How the load address of an image was found that the log does not have.
public struct BaseFinding: Sendable, Hashable {
    /// Different addresses that are behind calls of the image when it is loaded there, of all that may be in it.
    public var explained: Int
    public var addresses: Int
    /// How many of them the next best load address explains.
    public var runnerUp: Int
}
