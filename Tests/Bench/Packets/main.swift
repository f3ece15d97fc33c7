import Bytes
import RTP
import SRTP
import STUN
import Secure
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// What packets cost without sockets, as one line of JSON: nanoseconds of CPU for each kind of work and, where somebody
// counts them (support/malloc-count.c), allocations.

let password = "VOkJxbRl1RmTxUk/WvJxBt"
let key = STUNKey(shortTerm: password)
let transaction = TransactionID(high: 0xB7E7_A701, low: 0xBC34_D686_FA87_DFAE)
let username = Array("evtj:h6vY".utf8)

/// A connectivity check as one agent sends to another.
func check(into writer: consuming ByteWriter) -> ByteWriter {
    var message = STUNWriter(.request, STUNMethod.binding, transaction, into: writer)
    message.append(.username, username.span)
    message.append(.priority, UInt32(0x6E00_01FF))
    message.append(.iceControlling, UInt64(0x932F_F9B1_5126_3B36))
    message.append(.useCandidate)
    message.appendIntegrity(key)
    message.appendFingerprint()
    return message.finish()
}

func cpuNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// How many allocations there were so far; 0 when nobody counts.
let allocations: @convention(c) () -> UInt = {
    let symbol = dlsym(nil, "parley_allocations")
    guard let symbol else { return { 0 } }
    return unsafeBitCast(symbol, to: (@convention(c) () -> UInt).self)
}()

func measure(_ name: String, _ count: Int, _ work: () -> Int) -> String {
    var sum = 0
    for _ in 0..<1000 { sum &+= work() }
    let before = allocations()
    let start = cpuNanoseconds()
    for _ in 0..<count { sum &+= work() }
    let nanoseconds = Double(cpuNanoseconds() - start) / Double(count)
    let allocated = Double(allocations() - before) / Double(count)
    precondition(sum != 0, "\(name) did nothing")
    return "\"\(name)\": [\(nanoseconds), \(allocated)]"
}

let message = check(into: ByteWriter()).bytes
var writer = ByteWriter(reservingCapacity: 256)
var seed = SystemRandomNumberGenerator()
var responder = BindingResponder(using: &seed)
let plain = STUNWriter(.request, STUNMethod.binding, transaction).finish().bytes
let peer = SocketAddress(.loopback, port: 4711)

let stun = [
    measure("decode", 5_000_000) { (try? STUNMessage(parsing: message.span).header.attributesLength) ?? 0 },
    measure("check integrity", 500_000) {
        (try? STUNMessage(parsing: message.span).isAuthentic(key)) == true ? 1 : 0
    },
    measure("check fingerprint", 2_000_000) {
        (try? STUNMessage(parsing: message.span).hasRightFingerprint) == true ? 1 : 0
    },
    measure("write a check", 500_000) {
        writer.removeAll()
        var taken = ByteWriter()
        swap(&taken, &writer)
        writer = check(into: consume taken)
        return writer.count
    },
    measure("answer", 2_000_000) {
        writer.removeAll()
        let isAnswered = responder.answer(plain.span, from: peer, at: Instant(nanoseconds: 0), into: &writer)
        return isAnswered ? 1 : 0
    },
]

// One hears nothing of what the other protects alone, and would not know how often its numbers have begun anew.
var (oneWay, call) = (try VoiceCall(), try VoiceCall())
let plainVoice = call.voice.packet

let media = [
    measure("read a packet of RTP and its extensions", 5_000_000) {
        guard let packet = try? RTPPacket(parsing: plainVoice.span) else { return 0 }
        return packet.payload.count + (packet.value(of: 1)?.count ?? 0) + (packet.value(of: 3)?.count ?? 0)
    },
    measure("protect it", 500_000) { (try? oneWay.protect()) ?? 0 },
    measure("protect it, and open it at the other end", 500_000) { (try? call.pass()) ?? 0 },
]
print("{" + (stun + media).joined(separator: ", ") + "}")
