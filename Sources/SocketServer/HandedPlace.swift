internal import BinaryCoding
package import Bytes
internal import Sessions
package import Vocabulary

/// A client's place on its way from one node to another: its name, what the client may have missed, and what the application knows of it.
package struct HandedPlace: BinaryCoded {
    package let id: SessionID
    let key: ResumeKey
    let log: ReplayLog
    package let context: [UInt8]

    init(_ id: SessionID, _ key: ResumeKey, _ log: ReplayLog, context: [UInt8]) {
        self.id = id
        self.key = key
        self.log = log
        self.context = context
    }

    package func encode(into bytes: inout ByteWriter) { bytes.put(self.id, self.key, self.log, self.context) }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(try bytes.take(), try bytes.take(), try bytes.take(), context: try bytes.take())
    }
}
