import Arguments
import HTTPServer
import Journal
import System
import Reactor
import Vocabulary

/// `parley answer --http`: one service on every loop, until it is interrupted.
struct OfferServer: Sendable {
    let address: SocketAddress
    let plan: CallPlan
    let folder: String?
    let journal: Journal
    /// Of one client prefix; nil for the usual number.
    let maximumCallsPerAddress: Int?

    func run() throws {
        // A capture is one file, which one loop writes.
        let group = try EventLoopGroup(count: self.plan.capture == nil ? nil : 1)
        defer { group.shutDown() }
        let (plan, folder) = (self.plan, self.folder)
        let admission = OfferAdmission(self.maximumCallsPerAddress)
        let services = LoopLocal<Result<OfferService, any Error>>(group) { reactor in
            Result { try OfferService(plan, recordingsIn: folder, admission, on: reactor) }
        }
        let server = HTTPServer(group, metrics: HTTPMetrics(MetricsRegistry()), journal: self.journal) {
            let router = (try? services.value(on: $0).get())?.router ?? Router()
            return { router.respond(to: $0) }
        }
        try self.wait(server, services, on: group)
    }

    private func wait(
        _ server: HTTPServer, _ services: LoopLocal<Result<OfferService, any Error>>, on group: EventLoopGroup
    ) throws {
        let (outcome, done) = (Locked<CommandFailure?>(nil), Gate())
        let (address, isJSON) = (self.address, self.plan.isJSON)
        group.loops[0].execute { reactor in
            do {
                _ = try services.value(on: reactor).get()
                let listener = try server.listen(on: address, reactor)
                _ = try SignalWatch.interrupts(on: reactor) { done.open() }
                let url = "http://\(listener.address)/offer"
                Terminal.print(isJSON ? "{\"event\":\"ready\",\"url\":\"\(url)\"}" : "ready \(url)")
            } catch {
                let failure = error as? CommandFailure ?? CommandFailure("\(error)", exitCode: .osError)
                outcome.withLock { $0 = failure }
                done.open()
            }
        }
        done.wait()
        group.execute { reactor in if case .success(let service) = services.value(on: reactor) { service.close() } }
        if let failure = outcome.withLock(\.self) { throw failure }
    }
}
