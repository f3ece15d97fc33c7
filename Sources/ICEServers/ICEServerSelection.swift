internal import JSON

/// Some of the URLs of an `ice-servers.json`, each with what stood beside it, to the letter: a secret that is named by
/// its variable stays a name.
package struct ICEServerSelection: Sendable {
    /// The members beside `urls`, as they stand in the file.
    private var beside: [ICEServerURL: [(name: String, value: [UInt8])]] = [:]

    package init() {}

    /// - Parameter bytes: a file that `ICEServerList` takes.
    package mutating func add(file bytes: [UInt8]) {
        let reader = JSONReader(bytes.span)
        guard let document = try? reader.document(), let list = reader.member("iceServers", of: document) else {
            return
        }
        var servers = reader.elements(of: list)
        while let server = servers.next() { self.add(server, in: bytes) }
    }

    private mutating func add(_ server: JSONValue, in bytes: [UInt8]) {
        let reader = JSONReader(bytes.span)
        var urls: [ICEServerURL] = []
        var others: [(name: String, value: [UInt8])] = []
        var members = reader.members(of: server)
        while let member = members.next() {
            let name = reader.text(at: member.key) ?? ""
            guard name == "urls" else {
                others.append((name, reader.raw(member.value)))
                continue
            }
            if let url = reader.string(member.value).flatMap(ICEServerURL.init) { urls.append(url) }
            var elements = reader.elements(of: member.value)
            while let element = elements.next() {
                if let url = reader.string(element).flatMap(ICEServerURL.init) { urls.append(url) }
            }
        }
        for url in urls { self.beside[url] = others }
    }

    package mutating func add(_ url: ICEServerURL, username: String?, credential: String?) {
        let pairs = [("username", username), ("credential", credential)]
        self.beside[url] = pairs.compactMap { name, text in
            guard let text else { return nil }
            var json = JSONWriter()
            json.string(text)
            return (name, json.bytes)
        }
    }

    /// A file with these URLs, in this order.
    package func file(of urls: [ICEServerURL]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("iceServers")
            json.array { json in
                for url in urls.prefix(ICEServerList.maximumServers) { self.write(url, to: &json) }
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
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
