internal import Bytes

/// One of the channels that share a connection: `/`, or `/` and up to 63 visible ASCII characters.
package struct Namespace: Hashable, Sendable {
    package let text: String

    package static let main = Namespace(proven: "/")
    package static let maximumLength = 64

    package init?(_ text: String) {
        self.init(text.utf8.span)
    }

    package init?(_ text: Span<UInt8>) {
        guard (1...Self.maximumLength).contains(text.count), text[0] == UInt8(ascii: "/") else { return nil }
        for index in text.indices {
            // A comma ends a namespace on the wire, a question mark begins what old clients add to it.
            guard (0x21...0x7E).contains(text[index]), text[index] != UInt8(ascii: ","),
                text[index] != UInt8(ascii: "?")
            else { return nil }
        }
        guard let text = String(utf8: text) else { return nil }
        self.text = text
    }

    private init(proven text: String) {
        self.text = text
    }

    package var isMain: Bool { self == .main }
}
