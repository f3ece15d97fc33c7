/// Carries something out of a closure that runs before its maker goes on.
package final class Box<Value>: @unchecked Sendable {
    // Unchecked because the one who fills it and the one who looks into it take turns.
    package var value: Value

    package init(_ value: Value) { self.value = value }
}
