package import JSON
internal import SocketIO
internal import Vocabulary

/// One event for many sockets: encoded once for those that can be taken up again, and once for the others.
package final class SocketBroadcast {
    private let name: String
    let isVolatile: Bool
    private let arguments: (inout JSONWriter) -> Void
    /// For the namespace of the latest receiver: nearly always it is that of the next one, too.
    private var plainForm: (Namespace, [Broadcast])?
    private var countedForm: (Namespace, [Broadcast], EventOffset)?
    private let attachments: [Broadcast]

    /// - Parameters:
    ///   - isVolatile: not worth sending to a client that was away.
    ///   - attachments: for each of them a placeholder stands in the arguments.
    ///   - arguments: called once for each form that is sent, and always writes the same.
    package init(
        _ name: String, isVolatile: Bool = false, attachments: [[UInt8]] = [],
        _ arguments: @escaping (inout JSONWriter) -> Void
    ) {
        self.name = name
        self.isVolatile = isVolatile
        self.attachments = attachments.map { Broadcast(EncodedPacket(binary: $0)) }
        self.arguments = arguments
    }

    /// For a single one the form that many could share is not made.
    package func send(to socket: Socket) {
        guard self.attachments.isEmpty else { return self.sendShared(to: socket) }
        socket.emit(self.name, isVolatile: self.isVolatile, self.arguments)
    }

    /// For one of many.
    package func sendShared(to socket: Socket) { socket.send(self) }

    /// The packet, and its attachments behind it.
    func plain(in namespace: Namespace) -> [Broadcast] {
        if let form = self.plainForm, form.0 == namespace { return form.1 }
        let form = [Broadcast(self.writer(in: namespace).finish())] + self.attachments
        self.plainForm = (namespace, form)
        return form
    }

    /// With its offset, by which a client tells how far it got.
    func counted(in namespace: Namespace, _ sessions: SocketSessions) -> ([Broadcast], EventOffset) {
        if let form = self.countedForm, form.0 == namespace { return (form.1, form.2) }
        let offset = sessions.nextOffset()
        var writer = self.writer(in: namespace)
        writer.append(offset)
        let form = [Broadcast(writer.finish())] + self.attachments
        self.countedForm = (namespace, form, offset)
        return (form, offset)
    }

    private func writer(in namespace: Namespace) -> SocketPacketWriter {
        var writer = SocketPacketWriter(event: self.name, in: namespace, attachments: self.attachments.count)
        self.arguments(&writer.arguments)
        return writer
    }
}
