#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What can be fuzzed: a name, and what to do with any bytes. `Scripts/fuzz` lists and runs them.
///
/// A new one is a file beside this one, a line here, and a folder of the same name under `corpus`.
package let fuzzTargets: [String: @Sendable ([UInt8]) -> Void] = [
    "audio-receiver": AudioReceiverFuzz.run,
    "call": CallFuzz.run,
    "client": ClientFuzz.run,
    "command-line": CommandLineFuzz.run,
    "engine-payload": EnginePayloadFuzz.run,
    "file-type": FileTypeFuzz.run,
    "http-request": HTTPRequestFuzz.run,
    "http-response": HTTPResponseFuzz.run,
    "http-values": HTTPValuesFuzz.run,
    "http2": HTTP2Fuzz.run,
    "ice": ICEFuzz.run,
    "jpush": JPushFuzz.run,
    "json": JSONFuzz.run,
    "media-reporter": MediaReporterFuzz.run,
    "multicast-dns": MulticastDNSFuzz.run,
    "multipart": MultipartFuzz.run,
    "s3": S3Fuzz.run,
    "names": NamesFuzz.run,
    "negotiation": NegotiationFuzz.run,
    "node-link": NodeLinkFuzz.run,
    "ogg-opus": OggOpusFuzz.run,
    "openid": OpenIDFuzz.run,
    "request": RequestFuzz.run,
    "rongcloud": RongCloudFuzz.run,
    "rtcp": RTCPFuzz.run,
    "rtp": RTPFuzz.run,
    "sdp": SDPFuzz.run,
    "socket-packet": SocketPacketFuzz.run,
    "stun": STUNFuzz.run,
    "token": TokenFuzz.run,
    "tree-polling": TreePollingFuzz.run,
    "tree-rules": TreeRulesFuzz.run,
    "tree-wire": TreeWireFuzz.run,
    "turn": TURNFuzz.run,
    "turn-server": TURNServerFuzz.run,
    "wav": WAVFuzz.run,
    "webm": WebMFuzz.run,
    "websocket": WebSocketFuzz.run,
]

private let target: @Sendable ([UInt8]) -> Void = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = fuzzTargets[name] else {
        preconditionFailure("FUZZ_TARGET is \"\(name)\", but should be one of \(fuzzTargets.keys.sorted())")
    }
    return target
}()

/// libFuzzer calls this with ever new bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
