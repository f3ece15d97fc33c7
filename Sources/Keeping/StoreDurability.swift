/// What a commit outlives.
package enum StoreDurability: String, Hashable, Sendable, CaseIterable {
    /// The end of the machine: it is on the disk before anybody hears of it.
    case full
    /// The end of the program. When the machine loses its power the last commits may be missing, as a whole.
    case normal
}
