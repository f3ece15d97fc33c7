import JSON
import Testing

@testable import RealtimeTree

@Suite("The hash of a tree's values")
struct TreeHashTests {
    @Test(
        "A value has the hash that clients of the protocol compute",
        arguments: [
            ("1", "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="), ("2", "WtSt2Xo3L0JtPuArzQHofPrZOuU="),
            ("true", "E5z61QM0lN/U2WsOnusszCTkR8M="), (#""str""#, "sfnY/+BwcCaHAaeyeCGj6o4hEPY="),
            ("-1.5", "M56MQ4H2xiM8kwGXZUDuLOryQxM="), ("null", ""),
            (#"{"9":"nine","10":"ten","a":1,"b":{"c":"x","d":true}}"#, "m7HV0COr1zi1B+l1rEq0ioltLkI="),
            (#"{"y":2,"z":1,".priority":"pp"}"#, "fBWP1FKatAS2eUxScC+aOP7wIH0="),
        ])
    func hashes(json: String, hash: String) throws {
        #expect(try TreeNode(json).hash == hash)
    }
}

extension TreeNode {
    init(_ json: String, now: Double = 0) throws {
        self = try TreeParser.parse(Array(json.utf8).span, now: now)
    }

    var text: String { String(decoding: JSONWriter.bytes { $0.tree(self, .export) }, as: UTF8.self) }
    var plainText: String { String(decoding: JSONWriter.bytes { $0.tree(self) }, as: UTF8.self) }
}
