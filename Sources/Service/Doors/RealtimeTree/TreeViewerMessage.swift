internal import JSON
package import RealtimeTree

/// What the page asks whose user looks at the tree.
package enum TreeViewerMessage: Hashable, Sendable {
    /// `{"auth":TOKEN}`
    case auth(String)
    /// `{"open":PATH,"limit":ROWS}`
    case open(TreePath, limit: Int)
    /// `{"close":PATH}`
    case close(TreePath)

    private static let usualRows = 100

    /// Nil for what is no message.
    package init?(_ json: Span<UInt8>) {
        guard let object = try? JSONObject(json) else { return nil }
        if let token = object["auth", .text] {
            self = .auth(token)
        } else if let path = object["open", .text].flatMap({ Self.path($0) }) {
            self = .open(path, limit: object["limit", .integer] ?? Self.usualRows)
        } else if let path = object["close", .text].flatMap({ Self.path($0) }) {
            self = .close(path)
        } else {
            return nil
        }
    }

    private static func path(_ text: String) -> TreePath? {
        guard text.utf8.count <= TreeLimits.pathBytes, let path = TreePath(text) else { return nil }
        return path.count <= TreeLimits.depth ? path : nil
    }
}
