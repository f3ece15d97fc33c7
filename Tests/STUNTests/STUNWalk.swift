import STUN

/// Asks a message everything it can be asked.
enum STUNWalk {
    static func everything(in message: STUNMessage) {
        var attributes = message.attributes
        while let attribute = attributes.next() {
            _ = message.text(of: attribute.type)
            _ = message.address(in: attribute)
            _ = message.number(of: attribute.type, as: UInt64.self)
            _ = message.addressFamily(of: attribute.type)
        }
        _ = message.mappedAddress
        _ = message.errorCode
        _ = message.errorReason
        _ = message.unknownAttributes
        _ = message.passwordAlgorithms
        _ = message.passwordAlgorithm
        _ = message.channelNumber
        _ = message.lifetime
        _ = message.requestedTransport
        _ = message.addressError
        _ = message.evenPortReservesNext
        _ = message.changeRequest
        _ = message.responsePort
        _ = message.hasRightFingerprint
        _ = STUNChallenge(message)
        _ = message.notUnderstood(knowing: { _ in false })
    }
}
