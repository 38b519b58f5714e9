package import BinaryPrimitives

/// A process that reads symbol files and logs (`EngineHost`), as the process with the connections
/// has it. It ends with this object.
package final class Engine: Sendable {
    private let process: SocketProcess
    var sockets: [LocalSocket] { process.sockets }

    /// - Parameter process: with a socket for each request that it handles at a time.
    package init(_ process: SocketProcess) { self.process = process }

    /// Sends a request through a socket that no other request uses, and waits for the response.
    func reply(to request: Request, through socket: Int, before deadline: ContinuousClock.Instant) throws(LocalSocket.Failure)
        -> EngineReply
    {
        let (message, file) = request.message()
        try sockets[socket].send(message, file, before: deadline)
        let received = try sockets[socket].message(before: deadline)
        guard let reply = EngineReply(received.0, descriptor: received.descriptor) else { throw .ended }
        return reply
    }
}
