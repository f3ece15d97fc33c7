internal import BinaryCoding
internal import Bytes
internal import Clustering
internal import Vocabulary

/// What one node says to another one alone.
enum NodeLetter: LedgerValue {
    /// For a line that is there.
    case signal(RelayedSignal, to: SessionID)
    /// The client of this place has come to the node that asks.
    case ask(ResumeKey, by: RandomToken)
    /// The place as it stood when the line moved; nothing where none is kept.
    case place(SessionID, [UInt8]?)
    /// End in an orderly way.
    case drain
    /// The node that says this has sent something to the line before.
    case flush(SessionID, by: RandomToken)
    /// What was sent to the line before the flush has arrived.
    case flushed(SessionID)
}

extension NodeLetter: BinaryCoded {
    /// Numbers are never used for something else.
    private enum Kind: UInt8 { case signal, ask, place, drain, flush, flushed }

    func encode(into bytes: inout ByteWriter) {
        switch self {
        case .signal(let signal, let session): bytes.put(Kind.signal.rawValue, session, signal)
        case .ask(let key, let node): bytes.put(Kind.ask.rawValue, key, node)
        case .place(let session, let place): bytes.put(Kind.place.rawValue, session, place)
        case .drain: bytes.put(Kind.drain.rawValue)
        case .flush(let session, let node): bytes.put(Kind.flush.rawValue, session, node)
        case .flushed(let session): bytes.put(Kind.flushed.rawValue, session)
        }
    }

    init(from bytes: inout ByteReader) throws(ByteError) {
        guard let kind = Kind(rawValue: try bytes.take()) else { throw ByteError(.malformed, at: 0) }
        switch kind {
        case .signal:
            let session: SessionID = try bytes.take()
            self = .signal(try bytes.take(), to: session)
        case .ask: self = .ask(try bytes.take(), by: try bytes.take())
        case .place: self = .place(try bytes.take(), try bytes.take())
        case .drain: self = .drain
        case .flush: self = .flush(try bytes.take(), by: try bytes.take())
        case .flushed: self = .flushed(try bytes.take())
        }
    }
}
