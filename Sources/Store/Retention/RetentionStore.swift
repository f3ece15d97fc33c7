package import Vocabulary

/// Where what was said too long ago is thrown out.
package protocol RetentionStore: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    func sweepEntries(_ request: EntrySweep, _ answer: @escaping Answer<SweptEntries>)
}

/// Throws out what was said too long ago, a portion of the conversations at a time.
package struct EntrySweep: Hashable, Sendable {
    /// Where the last portion ended.
    package var start: Int64 = 0
    package let now: WallTime
    /// Of conversations of which nothing is said; nil for ever.
    package let usual: Duration?
    /// At most so many entries go at once.
    package var limit = 1000

    package init(at now: WallTime, usual: Duration?) {
        self.now = now
        self.usual = usual
    }
}

package struct SweptEntries: Hashable, Sendable {
    package var count = 0
    /// Where to go on; nil at the end.
    package var next: Int64?

    package init() {}
}
