package import Operations
package import Reactor
package import Vocabulary

/// One client of a server: it gets in, comes back by itself after trouble, asks, and hears what happens.
///
///     let client = ParleyClient(url, token: signedIn.accessToken, on: loop)
///     try await client.connect()
///     let room = try await client.join(room)
///     for await event in client.events { … }
///
/// The loop has to outlive it: requests are answered there, at the latest when their time is up.
package final class ParleyClient: Sendable {
    /// Everything in its order, for one reader. It ends after `ended`, which only a reader who
    /// was too slow does not hear.
    package let events: AsyncStream<ParleyEvent>

    private let server: ServerURL
    private let loop: EventLoop
    private let shell: ClientShell

    package init(_ server: ServerURL, token: String, on loop: EventLoop, settings: ClientSettings = ClientSettings()) {
        let (events, sink) = AsyncStream.makeStream(
            of: ParleyEvent.self, bufferingPolicy: .bufferingOldest(settings.maxUnreadEvents))
        self.events = events
        self.server = server
        self.loop = loop
        self.shell = ClientShell(server, token: token, settings: settings, sink: sink)
    }

    deinit {
        let shell = self.shell
        self.loop.execute { _ in shell.stop() }
    }

    /// Waits until the server has let us in, or throws why not. Call it once.
    ///
    /// Unless the settings say otherwise a first attempt that fails is the last one.
    @discardableResult
    package func connect() async throws(LinkFailure) -> SessionID {
        let result = await withCheckedContinuation { continuation in
            self.loop.execute { reactor in
                self.shell.start(on: reactor) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    /// Says goodbye. What still waits for an answer is told so.
    package func close() {
        self.loop.execute { _ in self.shell.stop() }
    }

    /// From the next connect on, another token is shown. `refreshSession` does it for the connection that is.
    package func use(token: String) {
        self.loop.execute { _ in self.shell.renew(token: token) }
    }

    /// What is said is seen to on the loop.
    func outgoing(_ event: @escaping @Sendable (inout OutgoingMessages, Instant) -> [OutgoingMessages.Order]) {
        self.loop.execute { reactor in self.shell.outgoing(on: reactor, event) }
    }

    /// Where files are brought, by the same user.
    package func uploads() async -> UploadDesk {
        let token = await withCheckedContinuation { continuation in
            self.loop.execute { _ in continuation.resume(returning: self.shell.token) }
        }
        return UploadDesk(self.server, token: token, on: self.loop)
    }

    /// Asks for anything there is. The answer is read by whoever asks.
    @discardableResult
    package func request(_ operation: Operation, _ arguments: Argument...) async throws(ClientError) -> RawJSON {
        try await self.request(operation, arguments)
    }

    @discardableResult
    package func request(_ operation: Operation, _ arguments: [Argument]) async throws(ClientError) -> RawJSON {
        let argument = RawJSON(arguments)
        let result = await withCheckedContinuation { continuation in
            self.loop.execute { reactor in
                self.shell.request(operation, argument, on: reactor) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }
}
