package import Vocabulary

/// Which contents must not be thrown away although nothing refers to them: a client has just uploaded them, and the word
/// of it is on its way to the store.
///
/// A sweep learns from the store what is not referred to and removes it later. A client that lets go of a pin in between has
/// referred to it after the sweep asked, so pins are kept until the sweep ends.
package struct BlobPins: Sendable {
    private var counts: [ContentHash: Int] = [:]
    private var released: [ContentHash] = []
    package private(set) var isSweeping = false

    package init() {}

    package mutating func pin(_ hash: ContentHash) { self.counts[hash, default: 0] += 1 }

    package mutating func unpin(_ hash: ContentHash) {
        guard !self.isSweeping else { return self.released.append(hash) }
        self.lower(hash)
    }

    private mutating func lower(_ hash: ContentHash) {
        guard let count = self.counts[hash] else { return }
        self.counts[hash] = count > 1 ? count - 1 : nil
    }

    /// False when one is under way.
    package mutating func sweepBegan() -> Bool {
        guard !self.isSweeping else { return false }
        self.isSweeping = true
        return true
    }

    package mutating func sweepEnded() {
        self.isSweeping = false
        for hash in self.released { self.lower(hash) }
        self.released = []
    }

    package func mayRemove(_ hash: ContentHash) -> Bool { self.counts[hash] == nil }
}
