extension Array where Element: BitwiseCopyable {
    /// What a borrowed view holds, as a value that may be kept.
    @inlinable
    package init(copying view: Span<Element>) {
        self = unsafe view.withUnsafeBufferPointer { source in unsafe Array(source) }
    }

    /// Appends what a borrowed view holds, in one go.
    @inlinable
    package mutating func append(copying view: Span<Element>) {
        unsafe view.withUnsafeBufferPointer { source in unsafe self.append(contentsOf: source) }
    }
}
