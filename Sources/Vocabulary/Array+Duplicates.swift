extension Array where Element: Hashable {
    /// Each value once, where it stood first. In an order, unlike a `Set`: what is decided twice comes out the same.
    package var withoutDuplicates: [Element] {
        var known: Set<Element> = []
        return self.filter { known.insert($0).inserted }
    }
}
