package import BinaryPrimitives

/// The process that reads symbol files and logs, for the one that has the connections.
///
/// A file that makes it end, or hang, ends no connection: the other process starts it anew
/// (`EnginePool`). Each of its sockets has a thread, which handles one request after another.
package struct EngineHost: Sendable {
    /// Bytes of a body, at most, that go through a socket; what is larger goes as a file.
    package static let maxInlineBytes = 1 << 20

    private let service: Service

    package init(_ service: Service) { self.service = service }

    /// Handles requests until the other process ends.
    /// - Parameter count: of the sockets, which this process has got.
    package func run(sockets count: Int) {
        run(SocketProcess.inherited(count))
    }

    package func run(_ sockets: [LocalSocket]) {
        let next = WorkQueue<LocalSocket>(maxWeight: .max)
        for socket in sockets { _ = next.add(socket, weight: 1) }
        next.close()
        Parallel.run(onThreads: sockets.count) {
            guard let socket = next.next() else { return }
            while let received = try? socket.message(before: nil) {
                guard let request = Request(received.0, descriptor: received.descriptor) else { return }
                guard reply(to: request, through: socket) else { return }
            }
        }
    }

    private func reply(to request: Request, through socket: LocalSocket) -> Bool {
        var response = service.respond(to: request)
        response.facts.readCounters()
        do throws(FileError) {
            let (message, file) = try EngineReply(response, memory: ProcessMemory.own).message()
            return withExtendedLifetime(file) { (try? socket.send(message, file?.openPart, before: nil)) != nil }
        } catch {
            let failure = EngineReply(service.refuse(request, "507 Insufficient Storage", status: 507), memory: ProcessMemory.own)
            guard let (message, _) = try? failure.message() else { return false }
            return (try? socket.send(message, nil, before: nil)) != nil
        }
    }
}
