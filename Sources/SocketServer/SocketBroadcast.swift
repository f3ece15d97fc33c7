package import JSON
internal import SocketIO
internal import Vocabulary

/// One event for many sockets: encoded once for those that can be taken up again, and once for the others.
package final class SocketBroadcast {
    private let name: String
    private let isVolatile: Bool
    private let arguments: (inout JSONWriter) -> Void
    /// For the namespace of the latest receiver: nearly always it is that of the next one, too.
    private var plainForm: (Namespace, [Broadcast])?
    private var countedForm: CountedForm?
    private let attachments: [Broadcast]

    /// What those are sent who can be taken up again, and what their logs keep of it.
    struct CountedForm {
        fileprivate let namespace: Namespace
        let sent: [Broadcast]
        /// One array for all logs. Nothing where it is not worth sending to a client that was away.
        let kept: [EncodedPacket]
        let offset: EventOffset
    }

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
    func counted(in namespace: Namespace, _ sessions: SocketSessions) -> CountedForm {
        if let form = self.countedForm, form.namespace == namespace { return form }
        let offset = sessions.nextOffset()
        var writer = self.writer(in: namespace)
        writer.append(offset)
        let sent = [Broadcast(writer.finish())] + self.attachments
        let kept = self.isVolatile ? [] : sent.map(\.packet)
        let form = CountedForm(namespace: namespace, sent: sent, kept: kept, offset: offset)
        self.countedForm = form
        return form
    }

    private func writer(in namespace: Namespace) -> SocketPacketWriter {
        var writer = SocketPacketWriter(event: self.name, in: namespace, attachments: self.attachments.count)
        self.arguments(&writer.arguments)
        return writer
    }
}
