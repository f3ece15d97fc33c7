package import Bytes
package import Vocabulary

/// A value with rules of its own that is written as text.
package protocol TextCoded: BinaryCoded {
    var text: String { get }
    init?(_ text: String)
}

extension TextCoded {
    package func encode(into bytes: inout ByteWriter) { bytes.put(self.text) }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        guard let value = Self(try bytes.take(String.self)) else { throw ByteError(.malformed, at: bytes.offset) }
        self = value
    }
}

extension UserID: TextCoded {}
extension SessionID: TextCoded {}
extension CallID: TextCoded {}
extension RoomName: TextCoded {}
extension DisplayName: TextCoded {}
extension AvatarLink: TextCoded {}
extension RandomToken: TextCoded {}

extension Instant: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) { bytes.put(self.nanoseconds) }
    package init(from bytes: inout ByteReader) throws(ByteError) { self.init(nanoseconds: try bytes.take()) }
}

extension WallTime: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) { bytes.put(self.milliseconds) }
    package init(from bytes: inout ByteReader) throws(ByteError) { self.init(milliseconds: try bytes.take()) }
}

extension ProfileSummary: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.name)
        bytes.put(self.avatar)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(try bytes.take(), try bytes.take())
    }
}

extension ResumeKey: TextCoded {}
extension DeviceID: TextCoded {}
extension ConversationID: TextCoded {}
