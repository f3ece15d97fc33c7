/// A recording that cannot be read: what is wrong, and at which byte.
package struct AudioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The first bytes belong to another kind of file.
        case notThisFormat
        /// The file ends before what it announced.
        case truncated
        /// A length, count or number is outside of what its field may hold.
        case outOfRange
        /// A part is larger than any honest file needs.
        case tooLarge
        /// The container is fine, but the sound in it is of this other codec.
        case otherCodec(String)
        /// A part every file must have is missing: its name.
        case missing(String)
        /// The clock of the file contradicts the sound in it.
        case wrongTime
        /// An Opus packet that RFC 6716 does not allow.
        case badPacket
        /// More comes out than any encoder puts into so few bytes.
        case tooMuchSound
    }

    package let reason: Reason
    /// Counted from the first byte of the file.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        switch self.reason {
        case .notThisFormat: "not the expected kind of file, at byte \(self.offset)"
        case .truncated: "the file ends too early, at byte \(self.offset)"
        case .outOfRange: "a number is out of range at byte \(self.offset)"
        case .tooLarge: "a part is too large at byte \(self.offset)"
        case .otherCodec(let name): "the sound is \(name), not Opus, at byte \(self.offset)"
        case .missing(let part): "\(part) is missing at byte \(self.offset)"
        case .wrongTime: "a time stamp contradicts the sound at byte \(self.offset)"
        case .badPacket: "an Opus packet is malformed at byte \(self.offset)"
        case .tooMuchSound: "more sound than a file of its size holds, at byte \(self.offset)"
        }
    }
}
