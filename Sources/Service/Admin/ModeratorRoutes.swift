internal import HTTPServer
internal import JSON
internal import Keeping
internal import Reactor
internal import Vocabulary
internal import Web

/// Whom the operator has named a moderator of the server: `/v1/moderators`.
extension AdminRoutes {
    func addModerators(to router: inout Router) {
        self.on(.get, "/v1/moderators", of: &router) { exchange, _ in
            self.signalling.store.send(
                ListModerators(),
                exchange.reactor.returning { result in
                    Self.answer(exchange, result) { json, views in
                        json.object { $0.array("moderators", of: views) { $0.moderator($1) } }
                    }
                })
        }
        self.on(.put, "/v1/moderators/:user", of: &router) { exchange, parameters in
            self.change(exchange, parameters, "moderator.add") { await Self.set(true, $1, in: $0.store) }
        }
        self.on(.delete, "/v1/moderators/:user", of: &router) { exchange, parameters in
            self.change(exchange, parameters, "moderator.remove") { await Self.set(false, $1, in: $0.store) }
        }
    }

    private static func set(_ isOn: Bool, _ user: UserID, in store: any Store) async -> AdminOutcome {
        let request = SetModerator(isOn, user, at: SystemClock.now())
        guard case .success(let isKnown) = await store.answer(to: request) else { return .failed }
        return isKnown ? .done() : .refused(.notFound, "no user has this id")
    }
}

extension JSONWriter {
    fileprivate mutating func moderator(_ view: ModeratorView) {
        self.object { json in
            json.members([("user", view.moderator.user.text), ("name", view.profile?.shownName?.text)])
            json.field("since", view.moderator.since.milliseconds)
        }
    }
}
