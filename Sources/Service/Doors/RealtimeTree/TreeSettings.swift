package import RealtimeTree

/// What the door of the tree is told before the start.
package struct TreeSettings: Hashable, Sendable {
    /// Who may read and write what: nobody, where nothing is said.
    package var rules = TreeRules.closed
    /// Whether everybody who says so is an administrator. Only where nobody else can connect.
    package var isEmulator = false
    /// What all values may take, keys included. They are in memory.
    package var maximumBytes = 256 << 20
    /// What tokens call this place.
    package var project = "parley"

    package init() {}
}
