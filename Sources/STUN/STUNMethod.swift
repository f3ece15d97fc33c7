/// What a message is about (RFC 8489 §18.2, RFC 8656 §17, RFC 6062 §6.1).
package enum STUNMethod {
    package static let binding: UInt16 = 0x001
    package static let allocate: UInt16 = 0x003
    package static let refresh: UInt16 = 0x004
    package static let send: UInt16 = 0x006
    package static let data: UInt16 = 0x007
    package static let createPermission: UInt16 = 0x008
    package static let channelBind: UInt16 = 0x009
    package static let connect: UInt16 = 0x00A
    package static let connectionBind: UInt16 = 0x00B
    package static let connectionAttempt: UInt16 = 0x00C
}
