internal import JSON

/// Some of the URLs of an `ice-servers.json`, each with what stood beside it, to the letter: a secret that is named by
/// its variable stays a name.
package struct ICEServerSelection: Sendable {
    /// The members beside `urls`, as they stand in the file.
    private var beside: [ICEServerURL: [(name: String, value: [UInt8])]] = [:]

    package init() {}

    /// - Parameter bytes: a file that `ICEServerList` takes.
    package mutating func add(file bytes: [UInt8]) {
        guard let file = try? JSONObject(bytes.span), let list = file.value("iceServers") else { return }
        var servers = file.reader.elements(of: list)
        while let server = servers.next() { self.add(JSONObject(found: server, in: file.reader)) }
    }

    private mutating func add(_ server: borrowing JSONObject) {
        var others: [(name: String, value: [UInt8])] = []
        for member in server.members {
            let name = server.name(of: member)
            if name != "urls" { others.append((name, server.reader.raw(member.value))) }
        }
        for text in server["urls", JSONType.text.oneOrMore] ?? [] {
            if let url = ICEServerURL(text) { self.beside[url] = others }
        }
    }

    package mutating func add(_ url: ICEServerURL, username: String?, credential: String?) {
        let pairs = [("username", username), ("credential", credential)]
        self.beside[url] = pairs.compactMap { name, text in
            text.map { text in (name, JSONWriter.bytes { $0.string(text) }) }
        }
    }

    /// A file with these URLs, in this order.
    package func file(of urls: [ICEServerURL]) -> [UInt8] {
        let listed = Array(urls.prefix(ICEServerList.maximumServers))
        let json = JSONWriter.object { $0.array("iceServers", of: listed) { self.write($1, to: &$0) } }
        return json + [UInt8(ascii: "\n")]
    }

    private func write(_ url: ICEServerURL, to json: inout JSONWriter) {
        json.object { json in
            json.field("urls", url.text)
            for (name, value) in self.beside[url] ?? [] {
                json.field(name, raw: value)
            }
        }
    }
}
