package import JSON
internal import SocketIO
internal import Vocabulary

/// One event for many sockets: encoded once for those that can be taken up again, and once for the others.
package final class SocketBroadcast {
    private let name: String
    let isVolatile: Bool
    private let arguments: (inout JSONWriter) -> Void
    /// For the namespace of the latest receiver: nearly always it is that of the next one, too.
    private var plainForm: (Namespace, Broadcast)?
    private var countedForm: (Namespace, Broadcast, EventOffset)?

    /// - Parameters:
    ///   - isVolatile: not worth sending to a client that was away.
    ///   - arguments: called once for each form that is sent, and always writes the same.
    package init(_ name: String, isVolatile: Bool = false, _ arguments: @escaping (inout JSONWriter) -> Void) {
        self.name = name
        self.isVolatile = isVolatile
        self.arguments = arguments
    }

    /// For a single one the form that many could share is not made.
    package func send(to socket: Socket) {
        socket.emit(self.name, isVolatile: self.isVolatile, self.arguments)
    }

    /// For one of many.
    package func sendShared(to socket: Socket) { socket.send(self) }

    func plain(in namespace: Namespace) -> Broadcast {
        if let form = self.plainForm, form.0 == namespace { return form.1 }
        let form = Broadcast(self.writer(in: namespace).finish())
        self.plainForm = (namespace, form)
        return form
    }

    /// With its offset, by which a client tells how far it got.
    func counted(in namespace: Namespace, _ sessions: SocketSessions) -> (Broadcast, EventOffset) {
        if let form = self.countedForm, form.0 == namespace { return (form.1, form.2) }
        let offset = sessions.nextOffset()
        var writer = self.writer(in: namespace)
        writer.append(offset)
        let form = Broadcast(writer.finish())
        self.countedForm = (namespace, form, offset)
        return (form, offset)
    }

    private func writer(in namespace: Namespace) -> SocketPacketWriter {
        var writer = SocketPacketWriter(event: self.name, in: namespace)
        self.arguments(&writer.arguments)
        return writer
    }
}
