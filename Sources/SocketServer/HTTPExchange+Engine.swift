internal import HTTPServer
internal import JSON
internal import Reactor
internal import SocketIO
internal import Web

extension HTTPExchange {
    /// Never kept by anybody on the way.
    func respondOnce(_ response: HTTPResponse) {
        var response = response
        response.head.fields.set(.cacheControl, to: "no-store")
        self.respond(response)
    }

    /// In the words that Engine.IO's clients know.
    func refuse(_ refusal: EngineRefusal) {
        let status: HTTPStatus = refusal.status == 403 ? .forbidden : .badRequest
        guard self.request.isUpgrade(to: "websocket") else { return self.respondOnce(.json(status, refusal.body)) }
        var response = HTTPResponse.text(status, refusal.message)
        response.head.fields.set(.connection, to: "close")
        self.respondOnce(response)
    }

    /// Engine.IO has no number for this but "forbidden", with a message of one's own: what its clients show, old ones too. How
    /// long to wait stands beside it, in the words of the protocol's other errors.
    func refuse(_ status: HTTPStatus = .tooManyRequests, arrivalUntil wait: Duration, _ message: String) {
        let json = JSONWriter.object { json in
            json.field("code", EngineRefusal.forbidden.rawValue)
            json.field("message", message)
            json.object("error") { json in
                json.field("code", status == .tooManyRequests ? "rate_limited" : "unavailable")
                json.field("message", message)
                json.field("retryAfter", wait.wholeMilliseconds)
            }
        }
        var response = HTTPResponse.json(status, json)
        response.setRetryAfter(wait)
        response.head.fields.set(.connection, to: "close")
        self.respondOnce(response)
    }
}
