internal import BinaryCoding
internal import Bytes
import Vocabulary

/// A call as another node takes it over. Settings are the same on all nodes and stay here.
extension CallMachine {
    func encode(into bytes: inout ByteWriter) {
        bytes.put(self.id)
        bytes.put(self.caller)
        bytes.put(self.callee)
        bytes.put(self.kind)
        bytes.put(self.started)
        switch self.state {
        case .ringing(let ringing):
            bytes.put(0 as UInt8)
            bytes.put(ringing)
        case .talking(let talk):
            bytes.put(1 as UInt8)
            bytes.put(talk)
        case .ended(let outcome):
            bytes.put(2 as UInt8)
            bytes.put(outcome)
        case .merged(let survivor):
            bytes.put(3 as UInt8)
            bytes.put(survivor)
        }
    }

    init(from bytes: inout ByteReader, settings: CallSettings) throws(ByteError) {
        self.init(
            id: try bytes.take(), caller: try bytes.take(), callee: try bytes.take(), kind: try bytes.take(),
            started: try bytes.take(), settings: settings, state: try State(from: &bytes))
    }
}

extension CallMachine.State {
    fileprivate init(from bytes: inout ByteReader) throws(ByteError) {
        switch try bytes.take(UInt8.self) {
        case 0: self = .ringing(try bytes.take())
        case 1: self = .talking(try bytes.take())
        case 2: self = .ended(try bytes.take())
        case 3: self = .merged(into: try bytes.take())
        case let other: throw ByteError(.unexpected(other), at: bytes.offset - 1)
        }
    }
}

extension CallSeat: BinaryCoded {
    func encode(into bytes: inout ByteWriter) {
        bytes.put(self.line)
        bytes.put(self.keptUntil)
        bytes.put(self.isBehind)
        bytes.put(self.recordingSince)
    }

    init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(try bytes.take(), keptUntil: try bytes.take())
        self.isBehind = try bytes.take()
        self.recordingSince = try bytes.take()
    }
}

extension CallTalk: BinaryCoded {
    func encode(into bytes: inout ByteWriter) {
        bytes.put(self[.caller])
        bytes.put(self[.callee])
        bytes.put(self.since)
        bytes.put(self.isForgotten)
    }

    init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(try bytes.take(), with: try bytes.take(), since: try bytes.take())
        self.isForgotten = try bytes.take()
    }
}
