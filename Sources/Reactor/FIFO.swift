/// First in, first out.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { self.head == self.elements.count }
    var count: Int { self.elements.count - self.head }

    mutating func append(_ element: Element) { self.elements.append(element) }

    mutating func popFirst() -> Element? {
        guard self.head < self.elements.count else { return nil }
        let element = self.elements[self.head].take()
        self.head += 1
        if self.head == self.elements.count {
            self.elements.removeAll(keepingCapacity: self.elements.capacity <= 4096)
            self.head = 0
        } else if self.head >= 4096, self.head * 2 >= self.elements.count {
            self.elements.removeFirst(self.head)
            self.head = 0
        }
        return element
    }
}
