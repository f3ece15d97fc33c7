/// Names one event among those sent to a client, so that the client can say how far it got.
///
/// The sender of an event draws the number, once for all its receivers; it only has to differ from event to event.
package struct EventOffset: Hashable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }

    package init?(_ text: String) {
        guard let number = UInt64(text, radix: 36), String(number, radix: 36) == text else { return nil }
        self.number = number
    }

    package var text: String { String(self.number, radix: 36) }
}
