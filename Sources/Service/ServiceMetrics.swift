internal import Calling
internal import Cluster
internal import Journal
internal import Keeping
internal import System

/// What the service counts beside HTTP: people, calls, rooms, messages, the store, the outbox.
///
/// Counters are counted as things happen; what there is just now (`Levels`) is looked up when somebody asks.
final class ServiceMetrics: Sendable {
    /// What there is just now.
    struct Levels {
        let usersOnline: Int
        let calls: Int
        let rooms: Int
        let roomMembers: Int
        let queuedBytes: Int
        let newcomers: Int
    }

    /// What became of a client that had a place before its line broke.
    enum Resume: String, MetricLabel {
        /// It went on where it was.
        case resumed
        /// The place was gone, or what it missed was no longer known: it began anew.
        case missed

        static let labelName: StaticString = "outcome"
    }

    /// How a line ended that nobody closed.
    enum Loss: String, MetricLabel {
        case broken, silent

        static let labelName: StaticString = "how"
    }

    let resumes: MetricFamily<Resume, Counter>
    let linesLost: MetricFamily<Loss, Counter>
    /// From a client's arrival to its welcome.
    let joins: Histogram
    let callsStarted: Counter
    let callsAnswered: Counter
    let callsEnded: MetricFamily<CallOutcome, Counter>
    let messages: Counter
    let store: StoreMetrics
    let deliveries: Counter
    let deliveryFailures: Counter
    let push: PushMetrics
    let cluster: ClusterMetrics
    /// What this server is called among those on its database.
    private let nodes = Locked<[String]>([])
    private let usersOnline: Gauge
    private let calls: Gauge
    private let rooms: Gauge
    private let roomMembers: Gauge
    private let queuedBytes: Gauge
    /// Told to come later, since too many arrived at once.
    let putOff: Counter
    private let newcomers: Gauge
    private let outboxWaiting: Gauge
    private let outboxGivenUp: Gauge

    init(_ registry: MetricsRegistry) {
        self.usersOnline = registry.gauge("parley_users_online", "Users with at least one connection.")
        self.resumes = registry.counters(
            "parley_resumes_total", "Clients that came back after their line broke.", by: Resume.self)
        self.linesLost = registry.counters(
            "parley_lines_lost_total", "Lines of signed-in clients that broke or fell silent.", by: Loss.self)
        self.joins = registry.histogram("parley_join_seconds", "From a client's arrival to its welcome.")
        self.queuedBytes = registry.gauge("parley_queued_bytes", "Bytes that wait until signed-in clients read them.")
        self.newcomers = registry.gauge("parley_arrivals_waiting", "Connections that wait to be let in.")
        self.putOff = registry.counter(
            "parley_arrivals_put_off_total", "Arrivals that were told to come later, since too many came at once.")
        self.calls = registry.gauge("parley_calls", "Calls that ring or in which two talk.")
        self.callsStarted = registry.counter(
            "parley_calls_started_total", "Calls that began to ring or met a busy user.")
        self.callsAnswered = registry.counter("parley_calls_answered_total", "Calls that were answered.")
        self.callsEnded = registry.counters(
            "parley_calls_ended_total", "Calls that are over, by outcome.", by: CallOutcome.self)
        self.rooms = registry.gauge("parley_rooms", "Rooms with at least one member.")
        self.roomMembers = registry.gauge("parley_room_members", "Members of all rooms.")
        self.messages = registry.counter("parley_messages_total", "Messages that were accepted, in all conversations.")
        self.store = StoreMetrics(registry)
        self.push = PushMetrics(registry)
        self.cluster = ClusterMetrics(registry)
        registry.info("parley_node_info", "What this server is called among the nodes.", label: "node") {
            [nodes] in nodes.withLock { $0 }
        }
        self.outboxWaiting = registry.gauge("parley_outbox_waiting", "Entries that wait for the webhook to take them.")
        self.outboxGivenUp = registry.gauge("parley_outbox_given_up", "Entries that the webhook did not take.")
        self.deliveries = registry.counter("parley_outbox_deliveries_total", "Entries that the webhook took.")
        self.deliveryFailures = registry.counter(
            "parley_outbox_failures_total", "Attempts to deliver an entry that failed.")
    }

    func set(nodes: [String]) { self.nodes.withLock { $0 = nodes } }

    func set(_ levels: Levels) {
        self.usersOnline.set(levels.usersOnline)
        self.calls.set(levels.calls)
        self.rooms.set(levels.rooms)
        self.roomMembers.set(levels.roomMembers)
        self.queuedBytes.set(levels.queuedBytes)
        self.newcomers.set(levels.newcomers)
    }

    func set(_ outbox: OutboxView) {
        self.outboxWaiting.set(outbox.waiting)
        self.outboxGivenUp.set(outbox.givenUp)
    }
}

extension CallOutcome: MetricLabel {
    package static var labelName: StaticString { "outcome" }
}
