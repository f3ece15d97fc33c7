/// One value for many objects, none of which changes it: each keeps eight bytes instead of a copy.
package final class Shared<Value: Sendable>: Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
