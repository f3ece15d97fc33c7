package import JSON

extension ICEServerOffer {
    /// An array of `RTCIceServer`, as `RTCPeerConnection` takes it.
    package func write(to json: inout JSONWriter) {
        json.array { json in
            for server in self.servers { server.write(to: &json) }
        }
    }
}

extension ICEServerOffer.Server {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.key("urls")
            json.array { json in self.urls.forEach { json.string($0.text) } }
            for case (let name, let text?) in [("username", self.username), ("credential", self.credential)] {
                json.field(name, text)
            }
        }
    }
}
