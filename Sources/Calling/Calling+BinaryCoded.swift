internal import BinaryCoding
package import Bytes
internal import Vocabulary

extension Line: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.user)
        bytes.put(self.session)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) { self.init(try bytes.take(), try bytes.take()) }
}

extension CallKind: BinaryCoded {}
extension CallOutcome: BinaryCoded {}

extension CallInvitation: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.id)
        bytes.put(self.caller)
        bytes.put(self.callee)
        bytes.put(self.kind)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(try bytes.take(), from: try bytes.take(), to: try bytes.take(), kind: try bytes.take())
    }
}

extension RunningCall: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.id)
        bytes.put(self.caller)
        bytes.put(self.callee)
        bytes.put(self.kind)
        bytes.put(self.started)
        bytes.put(self.answered)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(
            id: try bytes.take(), caller: try bytes.take(), callee: try bytes.take(), kind: try bytes.take(),
            started: try bytes.take(), answered: try bytes.take())
    }
}
