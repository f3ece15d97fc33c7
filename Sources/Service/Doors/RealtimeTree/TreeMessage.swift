internal import HTTPServer
internal import JSON
internal import RealtimeTree
internal import Web

/// A message of the WebSocket protocol, encoded once for all who get it.
final class TreeMessage {
    let news: TreeNews
    private var encoded: [UInt8]?
    private var frames: [WebSocketMessage]?

    init(_ news: TreeNews) { self.news = news }

    var json: [UInt8] {
        if let encoded { return encoded }
        let json = Self.json(self.news, tag: nil)
        self.encoded = json
        return json
    }

    /// As they go over a WebSocket.
    var messages: [WebSocketMessage] {
        if let frames { return frames }
        let made = TreeFraming.segments(of: self.json).map { WebSocketMessage(EncodedMessage(.text, $0)) }
        self.frames = made
        return made
    }

    /// `{"t":"d","d":{"a":"d","b":{"p":…,"d":…,"t":…}}}`
    static func json(_ news: TreeNews, tag: Int?) -> [UInt8] {
        JSONWriter.object { json in
            json.field("t", "d")
            json.object("d") { json in
                switch news.change {
                case .set(let node): json.data("d", news.path, tag) { $0.tree(node, .export) }
                case .merge(let places):
                    json.data("m", news.path, tag) { json in
                        json.object { json in
                            for (path, node) in places {
                                json.key(path.text)
                                json.tree(node, .export)
                            }
                        }
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func data(
        _ action: String, _ path: TreePath, _ tag: Int?, _ write: (inout JSONWriter) -> Void
    ) {
        self.field("a", action)
        self.object("b") { json in
            json.field("p", path.text)
            json.key("d")
            write(&json)
            json.optional("t", tag)
        }
    }
}

/// Long messages go in segments behind a frame that says how many there are.
enum TreeFraming {
    /// UTF-16 units in one frame.
    static let maximumUnits = 16_384

    static func segments(of json: [UInt8]) -> [[UInt8]] {
        guard json.count > self.maximumUnits else { return [json] }
        var segments: [[UInt8]] = []
        var (start, units) = (0, 0)
        for (index, byte) in json.enumerated() where byte & 0xC0 != 0x80 {
            let width = byte >= 0xF0 ? 2 : 1
            if units + width > self.maximumUnits {
                segments.append(Array(json[start..<index]))
                (start, units) = (index, 0)
            }
            units += width
        }
        segments.append(Array(json[start...]))
        return segments.count == 1 ? segments : [Array("\(segments.count)".utf8)] + segments
    }
}
