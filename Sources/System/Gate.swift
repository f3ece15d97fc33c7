/// Holds threads until it is opened, once and for all.
package final class Gate: @unchecked Sendable {
    // Unchecked because the compiler cannot see that the mutex guards every touch of `isOpen`.
    private var isOpen = false
    private let condition = Condition()

    package init() {}

    package func open() {
        self.condition.lock()
        self.isOpen = true
        self.condition.broadcast()
        self.condition.unlock()
    }

    package func wait() {
        self.condition.lock()
        while !self.isOpen { self.condition.wait() }
        self.condition.unlock()
    }
}
