/// Carries something out of a closure that runs before its maker goes on.
final class Box<Value>: @unchecked Sendable {
    // Unchecked because the one who fills it and the one who looks into it take turns.
    var value: Value

    init(_ value: Value) { self.value = value }
}
