internal import Bytes
internal import Hashing
internal import JSON
package import Secure
package import Vocabulary
internal import Web

/// One order for a certificate (RFC 8555), from the authority's directory to the chain.
///
///     directory ─▶ account ─▶ order ─▶ each name: authorization ─▶ challenge presented ─▶ told ─▶ asked until valid
///                                                                                                    │
///                      certificate ◀─ asked until valid ◀─ finalization ◀─ asked until ready ◀───────┘
///
/// A nonce that the authority does not take (`badNonce`) costs a repetition, and an answer that is missing where asking once
/// more changes nothing a moment's wait. Every other failure ends the order.
package struct ACMEOrderMachine {
    package enum Action: Sendable {
        /// Then `answered` or `unanswered`.
        case send(ACMERequest)
        /// The authority is about to look: then `presented`.
        case present(Challenge)
        /// Then `waited`.
        case wait(Duration)
        case finished(IssuedCertificate)
        /// - Parameter retryAfter: what the authority asked for.
        case failed(ACMEError, retryAfter: Duration?)
    }

    /// What an authority has to find in a certificate for the name (RFC 8737 §3).
    package struct Challenge: Hashable, Sendable {
        package let name: String
        package let digest: [UInt8]
    }

    private enum State {
        /// Can become: asked.
        case idle
        /// A nonce is asked for, for that step. Can become: asked, ended.
        case needsNonce(ACMEStep)
        /// Can become: needsNonce, asked, presenting, waiting, ended.
        case asked(ACMEStep)
        /// The server is about to show the challenge. Can become: needsNonce, asked.
        case presenting(Int, url: String)
        /// Can become: needsNonce, asked.
        case waiting(for: ACMEStep)
        case ended
    }

    private let settings: ACMESettings
    private let key: ACMEAccountKey
    private var state = State.idle
    private var nonce: String?
    private var directory: ACMEDirectory?
    private var account: String?
    private var orderURL = ""
    private var order: ACMEOrder?
    private var challengeURL = ""
    private var request: CertificateRequest?
    /// Nonces in a row that were not taken, and answers in a row that were missing.
    private var repetitions = 0
    private var polls = 0

    private static let maximumRepetitions = 10
    private static let maximumPolls = 60
    private static let firstWait = Duration.milliseconds(500)
    private static let longestWait = Duration.seconds(15)
    /// What an authority may ask for between two questions.
    private static let longestRetry = Duration.seconds(60)
    /// A clock that is a little behind is no reason to refuse a certificate.
    private static let grace = Duration.seconds(3600)

    package init(_ settings: ACMESettings, _ key: ACMEAccountKey) {
        self.settings = settings
        self.key = key
    }

    package mutating func begin() -> Action {
        self.state = .asked(.directory)
        return .send(.directory(self.settings))
    }

    package mutating func answered(_ answer: ACMEAnswer, at now: WallTime) -> Action {
        if let nonce = answer.nonce { self.nonce = nonce }
        switch self.state {
        case .needsNonce(let step): return self.heardNonce(answer, for: step, at: now)
        case .asked(let step) where answer.isSuccess: return self.heard(answer, to: step, at: now)
        case .asked(let step): return self.refused(answer, step, at: now)
        case .idle, .presenting, .waiting, .ended: return self.fail(.notInTime(.order))
        }
    }

    package mutating func unanswered(_ url: String, _ reason: String) -> Action {
        if case .asked(let step) = self.state, step.isQuestion, let action = self.again(step) { return action }
        return self.fail(.unreachable(url, reason))
    }

    /// The challenge can be seen now.
    package mutating func presented() -> Action {
        guard case .presenting(let index, let url) = self.state else { return self.fail(.notInTime(.order)) }
        self.challengeURL = url
        return self.ask(.challenge(index))
    }

    package mutating func waited() -> Action {
        guard case .waiting(let step) = self.state else { return self.fail(.notInTime(.order)) }
        return self.ask(step)
    }

    private mutating func fail(_ error: ACMEError, retryAfter: Duration? = nil) -> Action {
        self.state = .ended
        return .failed(error, retryAfter: retryAfter)
    }
}

// MARK: - Questions

extension ACMEOrderMachine {
    /// Everything but the directory is signed, and every signature takes a nonce.
    private mutating func ask(_ step: ACMEStep) -> Action {
        guard let directory = self.directory else { return self.begin() }
        guard let nonce = self.nonce.take() else {
            self.state = .needsNonce(step)
            return .send(ACMERequest(.head, directory.newNonce))
        }
        self.state = .asked(step)
        do throws(SecureError) {
            let (url, payload) = try self.content(of: step, directory)
            let body = try self.key.signed(payload, to: url, nonce: nonce, account: self.account)
            return .send(ACMERequest(.post, url, body))
        } catch {
            return self.fail(.notMade(error))
        }
    }

    private mutating func content(
        of step: ACMEStep, _ directory: ACMEDirectory
    ) throws(SecureError) -> (url: String, payload: [UInt8]?) {
        switch step {
        case .directory: (self.settings.directory, nil)
        case .account: (directory.newAccount, self.accountWanted)
        case .order: (directory.newOrder, self.orderWanted)
        case .authorization(let index): (self.order?.authorizations[index] ?? "", nil)
        case .challenge: (self.challengeURL, JSONWriter.object { _ in })
        case .orderStatus: (self.orderURL, nil)
        case .finalization: (self.order?.finalize ?? "", try self.certificateWanted())
        case .certificate: (self.order?.certificate ?? "", nil)
        }
    }

    /// An authority that knows the key says which account it is.
    private var accountWanted: [UInt8] {
        JSONWriter.object { json in
            json.field("termsOfServiceAgreed", true)
            if !self.settings.contacts.isEmpty {
                json.array("contact", of: self.settings.contacts) { $0.string($1) }
            }
        }
    }

    private var orderWanted: [UInt8] {
        JSONWriter.object { json in
            json.array("identifiers", of: self.settings.names) { json, name in
                json.fields(("type", "dns"), ("value", name))
            }
        }
    }

    private mutating func certificateWanted() throws(SecureError) -> [UInt8] {
        // A repetition is about the same key.
        let request: CertificateRequest
        if let known = self.request {
            request = known
        } else {
            request = try CertificateRequest(names: self.settings.names)
        }
        self.request = request
        return JSONWriter.object { $0.field("csr", Base64.encode(request.der, as: .url)) }
    }

    /// Nil when it was asked often enough.
    private mutating func again(_ step: ACMEStep) -> Action? {
        guard self.repetitions < Self.maximumRepetitions else { return nil }
        self.repetitions += 1
        return self.wait(for: step, retryAfter: nil)
    }

    private mutating func wait(for step: ACMEStep, retryAfter: Duration?) -> Action {
        guard self.polls < Self.maximumPolls else { return self.fail(.notInTime(step), retryAfter: retryAfter) }
        var pause = Self.firstWait
        for _ in 0..<self.polls where pause < Self.longestWait { pause *= 2 }
        self.polls += 1
        self.state = .waiting(for: step)
        return .wait(max(min(pause, Self.longestWait), min(retryAfter ?? .zero, Self.longestRetry)))
    }
}

// MARK: - Answers

extension ACMEOrderMachine {
    private mutating func heardNonce(_ answer: ACMEAnswer, for step: ACMEStep, at now: WallTime) -> Action {
        guard answer.isSuccess else { return self.refused(answer, step, at: now) }
        guard self.nonce != nil else { return self.fail(.badAnswer(step, "it has no Replay-Nonce")) }
        return self.ask(step)
    }

    private mutating func refused(_ answer: ACMEAnswer, _ step: ACMEStep, at now: WallTime) -> Action {
        let problem = ACMEProblem(answer)
        if problem.type == ACMEProblem.badNonce, self.repetitions < Self.maximumRepetitions {
            self.repetitions += 1
            return self.ask(step)
        }
        if answer.status >= 500, step.isQuestion, let action = self.again(step) { return action }
        return self.fail(.refused(step, problem), retryAfter: answer.retryAfter(at: now))
    }

    private mutating func heard(_ answer: ACMEAnswer, to step: ACMEStep, at now: WallTime) -> Action {
        self.repetitions = 0
        do throws(ACMEMistake) {
            return try self.understood(answer, step, at: now)
        } catch {
            return self.fail(.badAnswer(step, error.words))
        }
    }

    private mutating func understood(
        _ answer: ACMEAnswer, _ step: ACMEStep, at now: WallTime
    ) throws(ACMEMistake) -> Action {
        switch step {
        case .directory: return try self.heardDirectory(answer)
        case .account:
            self.account = try answer.location()
            return self.ask(.order)
        case .order:
            self.orderURL = try answer.location()
            return self.heardOrder(try ACMEOrder(parsing: answer.body), answer, isNew: true, at: now)
        case .orderStatus, .finalization:
            return self.heardOrder(try ACMEOrder(parsing: answer.body), answer, isNew: false, at: now)
        case .authorization(let index):
            return self.heardAuthorization(try ACMEAuthorization(parsing: answer.body), index, answer, at: now)
        case .challenge(let index):
            return self.wait(for: .authorization(index), retryAfter: answer.retryAfter(at: now))
        case .certificate: return self.heardCertificate(answer.body, at: now)
        }
    }

    private mutating func heardDirectory(_ answer: ACMEAnswer) throws(ACMEMistake) -> Action {
        let directory = try ACMEDirectory(parsing: answer.body)
        guard !directory.needsExternalAccount else {
            let problem = ACMEProblem(
                type: "externalAccountRequired", detail: "it wants an account that was made elsewhere")
            return self.fail(.refused(.account, problem))
        }
        self.directory = directory
        return self.ask(.account)
    }

    private mutating func heardOrder(
        _ order: ACMEOrder, _ answer: ACMEAnswer, isNew: Bool, at now: WallTime
    ) -> Action {
        self.order = order
        switch order.status {
        case .pending where isNew: return self.ask(.authorization(0))
        case .pending, .processing: return self.wait(for: .orderStatus, retryAfter: answer.retryAfter(at: now))
        case .ready: return self.ask(.finalization)
        case .valid where order.certificate != nil: return self.ask(.certificate)
        case .valid: return self.fail(.badAnswer(.orderStatus, "it is valid, without a certificate"))
        case .invalid:
            let problem = order.error ?? ACMEProblem(type: "invalid", detail: "it gave no reason")
            return self.fail(.refused(.order, problem))
        }
    }

    private mutating func heardAuthorization(
        _ found: ACMEAuthorization, _ index: Int, _ answer: ACMEAnswer, at now: WallTime
    ) -> Action {
        switch found.status {
        case .valid:
            self.polls = 0
            let next = index + 1
            let isLast = next >= self.order?.authorizations.count ?? 0
            return self.ask(isLast ? .orderStatus : .authorization(next))
        case .pending:
            guard let challenge = found.challenge else { return self.fail(.noChallenge(PlainText.line(found.name))) }
            guard challenge.isPending, challenge.url != self.challengeURL else {
                return self.wait(for: .authorization(index), retryAfter: answer.retryAfter(at: now))
            }
            return self.present(challenge, index, of: found)
        case .invalid, .deactivated, .expired, .revoked:
            return self.fail(.unproven(PlainText.line(found.name), found.problem))
        }
    }

    private mutating func present(
        _ challenge: ACMEAuthorization.Challenge, _ index: Int, of found: ACMEAuthorization
    ) -> Action {
        // What an authority makes us show for a name is shown for our own names alone.
        guard let name = self.settings.names.first(where: { $0 == found.name.lowercased() }) else {
            return self.fail(.badAnswer(.authorization(index), "it is about \(PlainText.line(found.name))"))
        }
        self.state = .presenting(index, url: challenge.url)
        let text = self.key.authorization(for: challenge.token)
        return .present(Challenge(name: name, digest: Digest.sha256.hash(text)))
    }

    /// Believed only as far as it is good for what was asked.
    private mutating func heardCertificate(_ chain: [UInt8], at now: WallTime) -> Action {
        guard let request = self.request else { return self.fail(.badCertificate("it is that of another order")) }
        let certificate: IssuedCertificate
        do throws(SecureError) {
            certificate = try IssuedCertificate(chain: chain, key: request.key)
        } catch {
            return self.fail(.badCertificate("\(error)"))
        }
        if let name = self.settings.names.first(where: { !certificate.covers($0) }) {
            return self.fail(.badCertificate("it is not for \(name)"))
        }
        guard certificate.notAfter > now, certificate.notBefore < now + Self.grace else {
            return self.fail(.badCertificate("it is not valid now; look at this machine's clock, too"))
        }
        self.state = .ended
        return .finished(certificate)
    }
}

extension ACMEAnswer {
    /// Seconds or a date (RFC 9110 §10.2.3).
    func retryAfter(at now: WallTime) -> Duration? {
        guard let text = self.fields[.retryAfter] else { return nil }
        if let seconds = Int64(text) { return .seconds(max(0, seconds)) }
        return HTTPDate.parse(text).map { .seconds(max(0, Int64($0) - now.seconds)) }
    }

    fileprivate func location() throws(ACMEMistake) -> String {
        guard let location = self.fields[.location], location.hasPrefix("https://") else {
            throw .init("it has no Location")
        }
        return location
    }
}
