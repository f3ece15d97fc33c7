/// What only one loop touches.
final class LoopBound<Value>: @unchecked Sendable {
    // Unchecked because the compiler cannot see that only calls on the loop touch it.
    var value: Value?
}
