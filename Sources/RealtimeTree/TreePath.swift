/// Where in the tree something is.
package struct TreePath: Hashable, Sendable {
    package var keys: [TreeKey]

    package static let root = TreePath([])

    package init(_ keys: [TreeKey]) { self.keys = keys }

    /// Of names between slashes; those that stand beside each other, or at an end, count for nothing. Nil where a name is none.
    package init?(_ text: String) {
        self.keys = []
        for part in Self.names(in: text) {
            guard let key = TreeKey(String(part)) else { return nil }
            self.keys.append(key)
        }
    }

    /// By bytes: of characters a slash and an accent behind it would be one.
    package static func names(in text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }

    package var count: Int { self.keys.count }
    package var isRoot: Bool { self.keys.isEmpty }

    /// Without a slash in front: `a/b`.
    package var text: String { self.keys.map(\.text).joined(separator: "/") }

    package var byteCount: Int { self.keys.reduce(0) { $0 + $1.text.utf8.count + 1 } }

    package func appending(_ key: TreeKey) -> TreePath { TreePath(self.keys + [key]) }
    package func appending(_ path: TreePath) -> TreePath { TreePath(self.keys + path.keys) }
    package var parent: TreePath { TreePath(Array(self.keys.dropLast())) }

    /// Whether the other one is here or below.
    package func contains(_ other: TreePath) -> Bool {
        self.count <= other.count && zip(self.keys, other.keys).allSatisfy(==)
    }

    /// From an ancestor on.
    package func dropping(_ count: Int) -> TreePath { TreePath(Array(self.keys.dropFirst(count))) }
}

/// Where something is written: a place, or the priority of one.
package struct TreeTarget: Hashable, Sendable {
    package let path: TreePath
    package let isPriority: Bool

    package init(_ path: TreePath, isPriority: Bool = false) {
        self.path = path
        self.isPriority = isPriority
    }

    package init?(_ text: String) {
        var parts = TreePath.names(in: text)
        self.isPriority = parts.last == ".priority"
        if self.isPriority { parts.removeLast() }
        var keys: [TreeKey] = []
        for part in parts {
            guard let key = TreeKey(String(part)) else { return nil }
            keys.append(key)
        }
        self.path = TreePath(keys)
    }

    package func below(_ base: TreePath) -> TreeTarget {
        TreeTarget(base.appending(self.path), isPriority: self.isPriority)
    }
}
