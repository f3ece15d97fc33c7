/// One value inside a longer text: what it is and where it lies.
package struct JSONValue: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case object, array, string, number, bool, null
    }

    package let kind: Kind
    /// From the first to the last byte of the value; the quotes of a string are part of it.
    package let range: Range<Int>

    package init(_ kind: Kind, at range: Range<Int>) {
        self.kind = kind
        self.range = range
    }
}
