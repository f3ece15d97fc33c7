/// What one connection left to be written when it ends, in the order in which it was left.
package struct LeftWrites: Sendable {
    package struct Item: Sendable {
        package let target: TreeTarget
        package let number: Int64
        /// JSON, as it came.
        package let value: [UInt8]
    }

    package private(set) var items: [Item] = []

    package init() {}

    package static let maximum = 1000

    /// In the place of what was left at and below.
    package mutating func put(_ item: Item) {
        self.withdraw(item.target)
        self.items.append(item)
    }

    package mutating func withdraw(_ target: TreeTarget) {
        self.items.removeAll { item in
            target.isPriority ? item.target == target : target.path.contains(item.target.path)
        }
    }
}

extension LeftWrites.Item {
    package init(_ target: TreeTarget, number: Int64, value: [UInt8]) {
        self.target = target
        self.number = number
        self.value = value
    }
}

extension TreeTarget {
    /// As a client writes it.
    package var text: String {
        guard self.isPriority else { return self.path.text }
        return self.path.isRoot ? ".priority" : "\(self.path.text)/.priority"
    }
}
