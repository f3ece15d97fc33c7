/// One step from an older form of the tables to a newer one. There is no way back, and no step is ever changed.
package struct Migration: Hashable, Sendable {
    package let script: String

    package init(_ script: String) {
        self.script = script
    }
}
