package import Reactor
package import Vocabulary

extension Shared<WritePolicy> {
    /// The default, but for what is changed.
    package static func with(_ change: (inout WritePolicy) -> Void) -> Shared {
        var policy = WritePolicy()
        change(&policy)
        return Shared(policy)
    }
}
