internal import Bytes
internal import HTTPServer
internal import Hashing
internal import JSON
internal import Reactor
internal import RealtimeTree
internal import Vocabulary
internal import Web

/// What a client sent in parts that fit into addresses, put together in its order.
package struct TreeParts {
    private struct Part {
        let total: Int
        let text: String
    }

    private var waiting: [Int: Part] = [:]
    private var next = 0
    private var byteCount = 0

    private static let maximumBytes = TreeLimits.writeBytes * 4 / 3
    private static let maximumParts = 20_000

    package init() {}

    package struct Wrong: Error {}

    /// The messages that are whole now.
    package mutating func add(query: String) throws(Wrong) -> [[UInt8]] {
        guard let fields = QueryItems(query) else { throw Wrong() }
        return try self.add(fields)
    }

    mutating func add(_ fields: QueryItems) throws(Wrong) -> [[UInt8]] {
        var index = 0
        while let number = fields["seg\(index)"] {
            guard let number = Int(number), let total = fields["ts\(index)"].flatMap({ Int($0) }),
                let text = fields["d\(index)"], number >= 0, (1...Self.maximumParts).contains(total)
            else { throw Wrong() }
            index += 1
            // A request that was sent again brings what is there already.
            guard number >= self.next, self.waiting[number] == nil else { continue }
            self.byteCount += text.utf8.count
            guard self.byteCount <= Self.maximumBytes, self.waiting.count < Self.maximumParts else { throw Wrong() }
            self.waiting[number] = Part(total: total, text: text)
        }
        return try self.takeWhole()
    }

    private mutating func takeWhole() throws(Wrong) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while let first = self.waiting[self.next] {
            guard self.next <= .max - first.total else { throw Wrong() }
            let numbers = self.next..<(self.next + first.total)
            guard numbers.allSatisfy({ self.waiting[$0] != nil }) else { break }
            let text = numbers.compactMap { self.waiting.removeValue(forKey: $0)?.text }.joined()
            self.byteCount -= text.utf8.count
            self.next = numbers.upperBound
            guard let message = Self.decoded(text) else { throw Wrong() }
            messages.append(message)
        }
        return messages
    }

    /// For addresses, with `.` where it is filled up.
    private static func decoded(_ text: String) -> [UInt8]? {
        let end = text.lastIndex { $0 != "." }.map { text.index(after: $0) } ?? text.startIndex
        return try? Base64.decode(String(text[..<end]), as: .url)
    }
}

/// A session by requests that wait for something to tell (`/.lp`), for browsers that had a WebSocket fail.
final class TreePolling: TreeTransport {
    let session: TreeSession
    let password = TreeDesk.randomName()
    private var parts = TreeParts()
    private var messages: [[UInt8]] = []
    private var queuedBytes = 0
    private var number = 0
    private var waiting: HTTPExchange?
    private var holdTimer: TimerToken?
    private var absenceTimer: TimerToken?
    private var answersAtEndOfTurn = false
    /// A WebSocket on which the session will go on.
    var socket: TreeSocket?
    private(set) var isClosed = false

    private static let hold = Duration.seconds(20)
    /// Without a request for so long, the client is gone.
    private static let absence = Duration.seconds(30)
    private static let maximumQueuedBytes = 16_000_000

    init(_ session: TreeSession) {
        self.session = session
        self.restartAbsence()
    }

    // MARK: - Requests

    /// The script that begins a session. It calls functions of the page that have a number in their names.
    func start(_ exchange: HTTPExchange, callback: String) {
        let hello = self.messages.isEmpty ? [] : self.messages.removeFirst()
        self.queuedBytes = 0
        let script = """
            function pLPCommand(c, a1, a2, a3, a4) {
                parent.window["pLPCommand\(callback)"] && parent.window["pLPCommand\(callback)"](c, a1, a2, a3, a4);
            }
            function pRTLPCB(pN, data) {
                parent.window["pRTLPCB\(callback)"] && parent.window["pRTLPCB\(callback)"](pN, data);
            }
            pLPCommand("start", "\(self.session.id)", "\(self.password)");
            pRTLPCB(0, [\(String(decoding: hello, as: UTF8.self))]);

            """
        self.number = 1
        Self.answer(exchange, Array(script.utf8))
        self.restartAbsence()
    }

    func poll(_ exchange: HTTPExchange, _ fields: QueryItems) {
        if self.isClosed { return Self.answer(exchange, Array("pLPCommand(\"close\");\n".utf8)) }
        self.stopAbsence()
        self.release()
        self.waiting = exchange
        exchange.onAbandoned = { [weak self] in self?.abandoned() }
        self.holdTimer = self.session.reactor.schedule(after: Self.hold) { [weak self] in
            self?.holdTimer = nil
            self?.release()
        }
        do throws(TreeParts.Wrong) {
            for json in try self.parts.add(fields) {
                guard let message = TreeWireMessage(json.span) else { throw TreeParts.Wrong() }
                self.received(message)
            }
        } catch {
            self.messages = []
            return self.end()
        }
        if !self.messages.isEmpty { self.release() }
    }

    private func received(_ message: TreeWireMessage) {
        guard case .control("n") = message, let socket = self.socket else {
            return TreeWire(session: self.session).received(message)
        }
        // The last word here: everything after it goes over the WebSocket.
        self.send(Array(#"{"t":"c","d":{"t":"n","d":""}}"#.utf8))
        self.isClosed = true
        self.release()
        self.stopAbsence()
        socket.took()
    }

    /// The client speaks over the WebSocket now; it has nothing more to say here than that.
    func clientMoved() { self.stopAbsence() }

    private func abandoned() {
        self.waiting = nil
        self.stopHold()
        if !self.isClosed { self.restartAbsence() }
    }

    /// Answers the request that waits, with what there is.
    private func release() {
        guard let exchange = self.waiting.take() else { return }
        self.stopHold()
        exchange.onAbandoned = nil
        var script = Array("pRTLPCB(\(self.number), [".utf8)
        for (index, message) in self.messages.enumerated() {
            if index > 0 { script.append(UInt8(ascii: ",")) }
            script += message
        }
        script += Array("]);\n".utf8)
        if self.isClosed { script += Array("pLPCommand(\"close\", \(self.number));\n".utf8) }
        self.number += 1
        (self.messages, self.queuedBytes) = ([], 0)
        Self.answer(exchange, script)
        if !self.isClosed { self.restartAbsence() }
    }

    static func answer(_ exchange: HTTPExchange, _ script: [UInt8]) {
        // U+2028 and U+2029 stand in texts as they are: since ES2019 a script may have them.
        exchange.respond(
            HTTPResponse(
                .ok, fields: [.contentType: "text/javascript; charset=utf-8", .cacheControl: "no-store"],
                body: .bytes(script)))
    }

    // MARK: - Sending

    func send(_ json: [UInt8]) {
        guard !self.isClosed else { return }
        self.messages.append(json)
        self.queuedBytes += json.count
        if self.queuedBytes > Self.maximumQueuedBytes { return self.end() }
        // What is said in the same turn goes in one answer.
        guard !self.answersAtEndOfTurn, self.waiting != nil else { return }
        self.answersAtEndOfTurn = true
        self.session.reactor.withoutHurry { [weak self] in
            self?.answersAtEndOfTurn = false
            if self?.messages.isEmpty == false { self?.release() }
        }
    }

    func send(_ message: TreeMessage) { self.send(message.json) }

    // MARK: - The end

    func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.stopAbsence()
        self.release()
    }

    func end() { self.session.end() }

    private func restartAbsence() {
        self.stopAbsence()
        self.absenceTimer = self.session.reactor.schedule(after: Self.absence) { [weak self] in
            self?.absenceTimer = nil
            self?.end()
        }
    }

    private func stopAbsence() {
        if let timer = self.absenceTimer.take() { self.session.reactor.cancel(timer) }
    }

    private func stopHold() {
        if let timer = self.holdTimer.take() { self.session.reactor.cancel(timer) }
    }
}
