import BinaryCoding
import Calling
import Clustering
import Operations
import TestSupport
import Testing
import Vocabulary

@testable import Switchboard

/// Three nodes: `n` sends something to a line that is on `x` and moves to `y`.
private final class MovingLine {
    let scheduler = ManualScheduler()
    let database: VirtualLedger
    let (n, x, y): (StormNode, StormNode, StormNode)
    let line: Line

    init() throws {
        self.database = VirtualLedger(seed: 1, self.scheduler)
        (self.n, self.x, self.y) = (StormNode(self.database), StormNode(self.database), StormNode(self.database))
        self.line = Line(try #require(UserID("bo")), SessionID(RandomToken(using: &self.database.random)))
        for node in self.nodes {
            self.database.add(node)
            node.connect()
        }
        for _ in 0..<10 {
            self.scheduler.advance(by: .seconds(1))
            for node in self.nodes { node.beat() }
            self.settle()
        }
        self.x.board.submit(.opened(self.line, ProfileSummary(DisplayName(of: self.line.user))))
        self.settle()
        try #require(self.n.board.node(of: self.line.session) == self.x.token)
    }

    private var nodes: [StormNode] { [self.n, self.x, self.y] }

    /// All that is on its way arrives, in a twentieth of a second.
    func settle() {
        for _ in 0..<50 {
            self.scheduler.advance(by: .milliseconds(1))
            for node in self.nodes { node.pump() }
        }
    }

    func send(_ number: Int) throws {
        let json = Array("\(number)".utf8)
        try self.n.board.deliver(
            RelayedSignal(.call(CallID(self.n.token)), from: self.line.session, .data, json: json),
            to: self.line.session)
    }

    func move() {
        self.x.board.submit(.moved(self.line, to: self.y.token))
        self.settle()
    }

    func hear(_ letter: NodeLetter, at node: StormNode) {
        node.board.received(letter.encoded)
        self.settle()
    }

    /// What a node has said to others alone, and to whom.
    func letters(of node: StormNode) -> [String] {
        node.letters.map { letter in
            let place = letter.node == self.n.token ? "n" : letter.node == self.x.token ? "x" : "y"
            switch try? NodeLetter(decoding: letter.bytes.span) {
            case .signal(let signal, _): return "\(String(decoding: signal.json, as: UTF8.self)) to \(place)"
            case .flush: return "flush to \(place)"
            case .flushed: return "flushed to \(place)"
            case .ask, .place, .drain, nil: return "something else"
            }
        }
    }
}

@Suite("What is sent to a line that moves")
struct MovingLineTests {
    @Test("Y08.order waits until what was sent before has gone the way of the old node")
    func order() throws {
        let stage = try MovingLine()
        try stage.send(1)
        stage.move()
        try stage.send(2)
        try stage.send(3)
        stage.settle()
        #expect(stage.letters(of: stage.n) == ["1 to x", "flush to x"])
        stage.hear(.flushed(stage.line.session), at: stage.n)
        try stage.send(4)
        stage.settle()
        #expect(stage.letters(of: stage.n) == ["1 to x", "flush to x", "2 to y", "3 to y", "4 to y"])
    }

    @Test("Y08.order waits for nothing where nothing was sent before")
    func nothingBefore() throws {
        let stage = try MovingLine()
        stage.move()
        try stage.send(1)
        stage.settle()
        #expect(stage.letters(of: stage.n) == ["1 to y"])
    }

    @Test("Y08.order goes on after a second when the old node is gone")
    func timeout() throws {
        let stage = try MovingLine()
        try stage.send(1)
        stage.move()
        try stage.send(2)
        stage.scheduler.advance(by: .seconds(1))
        stage.settle()
        #expect(stage.letters(of: stage.n) == ["1 to x", "flush to x", "2 to y"])
    }

    @Test("Y08.order is passed on by the old node, and what was sent before is in front")
    func passing() throws {
        let stage = try MovingLine()
        stage.move()
        let session = stage.line.session
        let signal = RelayedSignal(.call(CallID(stage.n.token)), from: session, .data, json: [UInt8(ascii: "1")])
        stage.hear(.signal(signal, to: session), at: stage.x)
        stage.hear(.flush(session, by: stage.n.token), at: stage.x)
        #expect(stage.letters(of: stage.x) == ["1 to y", "flush to y"])
        stage.hear(.flush(session, by: stage.n.token), at: stage.y)
        #expect(stage.letters(of: stage.y) == ["flushed to n"])
    }

    @Test("Y08.order refuses more when much waits already")
    func limit() throws {
        let stage = try MovingLine()
        try stage.send(0)
        stage.move()
        for number in 1...256 { try stage.send(number) }
        #expect(throws: RequestError.self) { try stage.send(257) }
    }
}
