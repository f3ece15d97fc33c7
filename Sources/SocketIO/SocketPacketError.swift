package import JSON

/// Why a Socket.IO packet is no Socket.IO packet, and where that shows. Its session ends with a parse error.
package struct SocketPacketError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case unknownType
        /// The count of attachments is not a number, or lacks its dash.
        case malformedAttachmentCount
        case tooManyAttachments
        case attachmentsTooLarge
        /// An attachment came when none was due.
        case unexpectedAttachment
        /// A packet came before the attachments of the one before it.
        case missingAttachment
        /// A placeholder is misshapen, points nowhere, stands twice, or is missing.
        case illegalPlaceholder
        case malformedNamespace
        /// Longer than JavaScript counts exactly, or not there in an ack.
        case illegalAckID
        /// The payload is JSON, but not what this type of packet carries.
        case wrongPayload
        /// An event that only the library itself may raise, like `disconnect`.
        case reservedEvent
        case notJSON(JSONError.Reason)
    }

    package let reason: Reason
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    init(_ error: JSONError) {
        self.init(.notJSON(error.reason), at: error.offset)
    }
}
