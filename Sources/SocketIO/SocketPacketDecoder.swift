import JSON

/// Reads one Socket.IO packet from the text of an Engine.IO message, strictly.
package struct SocketPacketDecoder: Hashable, Sendable {
    package let limits: SocketPacketLimits

    package init(limits: SocketPacketLimits = SocketPacketLimits()) {
        self.limits = limits
    }

    package func decode(_ bytes: Span<UInt8>) throws(SocketPacketError) -> SocketPacket {
        guard !bytes.isEmpty, let kind = SocketPacket.Kind(digit: bytes[0]) else {
            throw SocketPacketError(.unknownType, at: 0)
        }
        var index = 1
        let attachments = kind.isBinary ? try self.attachmentCount(in: bytes, at: &index) : 0
        let namespace = try Self.namespace(in: bytes, at: &index)
        let ackID = kind.isEvent || kind.isAck ? try Self.ackID(in: bytes, at: &index) : nil
        guard ackID != nil || !kind.isAck else { throw SocketPacketError(.illegalAckID, at: index) }
        let payload = index..<bytes.count
        let list: ArgumentList
        switch kind {
        case .event, .binaryEvent, .ack, .binaryAck:
            var walk = ArgumentWalk(
                bytes, at: index, attachments: kind.isBinary ? attachments : nil, depth: self.limits.depth)
            list = try walk.list(isNamed: kind.isEvent)
        case .connect, .connectError, .disconnect:
            try self.checkPayload(in: bytes, at: payload, of: kind)
            list = ArgumentList(name: nil, range: bytes.count..<bytes.count, count: 0, placeholders: [])
        }
        return SocketPacket(
            kind: kind, namespace: namespace, ackID: ackID, attachments: attachments, payload: payload,
            name: list.name, arguments: list.range, argumentCount: list.count, placeholders: list.placeholders)
    }

    /// `51-`: digits and a dash.
    private func attachmentCount(in bytes: Span<UInt8>, at index: inout Int) throws(SocketPacketError) -> Int {
        let start = index
        guard let count = Self.number(in: bytes, at: &index), count <= self.limits.attachments else {
            throw SocketPacketError(.tooManyAttachments, at: start)
        }
        guard index > start, index < bytes.count, bytes[index] == UInt8(ascii: "-") else {
            throw SocketPacketError(.malformedAttachmentCount, at: start)
        }
        index += 1
        return count
    }

    /// `/name,`: up to a comma, or to the end, since old clients leave the comma away when nothing follows.
    /// Old clients may also add a query, which nothing here reads.
    private static func namespace(in bytes: Span<UInt8>, at index: inout Int) throws(SocketPacketError) -> Namespace {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "/") else { return .main }
        let start = index
        var query: Int?
        while index < bytes.count, bytes[index] != UInt8(ascii: ",") {
            if query == nil, bytes[index] == UInt8(ascii: "?") { query = index }
            index += 1
        }
        guard let namespace = Namespace(bytes.extracting(start..<(query ?? index))) else {
            throw SocketPacketError(.malformedNamespace, at: start)
        }
        if index < bytes.count { index += 1 }
        return namespace
    }

    private static func ackID(in bytes: Span<UInt8>, at index: inout Int) throws(SocketPacketError) -> Int? {
        let start = index
        guard let number = Self.number(in: bytes, at: &index) else { throw SocketPacketError(.illegalAckID, at: start) }
        return index > start ? number : nil
    }

    /// Digits, if any stand here, as a number of up to fifteen of them: JavaScript still counts these exactly.
    /// Nil when there are more.
    private static func number(in bytes: Span<UInt8>, at index: inout Int) -> Int? {
        var number = 0
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            guard number < 100_000_000_000_000 else { return nil }
            number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        return number
    }

    private func checkPayload(
        in bytes: Span<UInt8>, at range: Range<Int>, of kind: SocketPacket.Kind
    ) throws(SocketPacketError) {
        guard !range.isEmpty else { return }
        let value: JSONValue
        do {
            var scanner = JSONScanner(bytes, at: range.lowerBound, depth: self.limits.depth)
            value = try scanner.value()
            try scanner.finish()
        } catch {
            throw SocketPacketError(error)
        }
        let isWelcome =
            switch kind {
            case .connect: value.kind == .object
            case .connectError: value.kind == .object || value.kind == .string
            case .disconnect, .event, .ack, .binaryEvent, .binaryAck: false
            }
        guard isWelcome else { throw SocketPacketError(.wrongPayload, at: range.lowerBound) }
    }
}
