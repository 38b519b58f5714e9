/// How the load address of an image was found that the log does not have.
package struct BaseFinding: Sendable, Hashable {
    /// How many different addresses directly follow calls of the image when it is loaded there, of
    /// all that may be in it.
    package var explained: Int
    package var addresses: Int
    /// How many of them the next best load address explains.
    package var runnerUp: Int
}
