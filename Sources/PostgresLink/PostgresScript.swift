/// Several statements without parameters, as one text: what migrations are made of. It runs by itself, after everything that was
/// sent before and ahead of what is sent after it, in one transaction unless it says otherwise.
package struct PostgresScript: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }
}
