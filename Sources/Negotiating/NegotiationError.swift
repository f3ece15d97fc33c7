/// Why a description was not taken, under the name a browser would throw.
package struct NegotiationError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Name: String, Hashable, Sendable {
        /// Not now.
        case invalidState = "InvalidStateError"
        /// The text makes no sense, or not as an answer to what was offered.
        case invalidAccess = "InvalidAccessError"
        /// It is not what was made here.
        case invalidModification = "InvalidModificationError"
    }

    package let name: Name
    package let message: String

    init(_ name: Name, _ message: String) {
        self.name = name
        self.message = message
    }

    package var description: String { "\(self.name.rawValue): \(self.message)" }
}
