import Keeping
import TestSupport
import Testing
import Vocabulary

@testable import Service

@Suite("A push that a program asks for by JPush's interface")
struct JPushRequestTests {
    static let whole = """
        {"platform":["android","ios"],"audience":{"tag":["tea","茶"],"tag_and":["a"],"tag_not":["b"],\
        "alias":["u.1"],"registration_id":["1507bfd3f7c568d4761"]},"notification":{"alert":"x","android":{"alert":"a",\
        "title":"t","priority":1,"badge_add_num":2,"extras":{"k":[1]}},"ios":{"alert":{"title":"t","body":"b"},\
        "sound":"s","badge":"+1","content-available":true,"extras":{"k":"v"}}},"message":{"msg_content":"raw","title":"t",\
        "extras":{}},"options":{"sendno":7,"time_to_live":60,"override_msg_id":"18","apns_production":false,\
        "apns_collapse_id":"c","big_push_duration":1},"cid":"0123-x"}
        """

    @Test("H04.audience says which devices it is for, and what they show")
    func parts() throws {
        let request = try JPushRequest(Array(Self.whole.utf8))
        #expect(request.audience.tags.map(\.text) == ["tea", "茶"])
        #expect(
            request.audience.requiredTags.map(\.text) == ["a"] && request.audience.excludedTags.map(\.text) == ["b"])
        #expect(request.audience.registrations.map(\.text) == ["1507bfd3f7c568d4761"])
        #expect(request.notification?.words(for: .android)?.badge == .more(2))
        #expect(request.notification?.words(for: .ios)?.text == "b")
        #expect(request.message?.content == "raw")
        #expect((request.options.number, request.options.life, request.options.overridden) == (7, .seconds(60), 18))
        #expect(!request.options.isProduction && request.cid == "0123-x")
    }

    @Test("H04.refused is refused when it is cut at any byte, and never by more than a code")
    func cut() {
        let whole = Array(Self.whole.utf8)
        for end in whole.indices {
            #expect(throws: JPushProblem.self) { try JPushRequest(Array(whole[..<end])) }
        }
    }

    @Test("H04.refused is taken or refused whatever stands in it")
    func spoilt() {
        var random = SeededRandom(seed: 7)
        let whole = Array(Self.whole.utf8)
        for _ in 0..<2000 {
            var spoilt = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                spoilt[Int.random(in: 0..<spoilt.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let request = try? JPushRequest(spoilt) else { continue }
            #expect(request.audience.tags.count <= PushAudience.maximumTags)
        }
    }

    @Test(
        "H04.refused has limits for every list and number",
        arguments: [
            (#""audience":{"tag":[\#(many(21))]}"#, 1003), (#""audience":{"alias":[\#(many(1001))]}"#, 1003),
            (#""audience":{"registration_id":["x"]}"#, 1003), (#""audience":{"tag":"tea"}"#, 1003),
            (#""audience":{}"#, 1003), (#""audience":"some""#, 1003), (#""audience":{"file":{}}"#, 2007),
            (#""audience":{"region":["x"]}"#, 1009), (#""platform":[]"#, 1003), (#""platform":["tv"]"#, 1003),
            (#""options":{"sendno":2147483648}"#, 1003), (#""options":{"time_to_live":-1}"#, 1003),
            (#""options":{"apns_collapse_id":"\#(String(repeating: "c", count: 65))"}"#, 1003),
            (#""options":{"big_push_duration":1401}"#, 1003), (#""options":{"override_msg_id":"tea"}"#, 1003),
            (#""cid":"""#, 1003), (#""cid":7"#, 1003), (#""notification":{}"#, 1002), (#""notification":"x""#, 1003),
            (#""notification":{"ios":{"alert":[]}}"#, 1003), (#""notification":{"ios":{"alert":"x","sound":1}}"#, 1003),
            (#""notification":{"ios":{"alert":"x","badge":"much"}}"#, 1003),
            (#""notification":{"ios":{"alert":"x","interruption-level":"loud"}}"#, 1003),
            (#""notification":{"android":{"alert":"x","priority":3}}"#, 1003),
            (#""notification":{"android":{"alert":"x","extras":[]}}"#, 1003),
            (#""message":{"msg_content":"x","extras":1}"#, 1003), (#""message":[]"#, 1003),
        ])
    func limits(member: String, code: Int) throws {
        var object = try #require(
            LooseObject(Array(#"{"platform":"all","audience":"all","notification":{"alert":"x"}}"#.utf8)))
        let more = try #require(LooseObject(Array("{\(member)}".utf8)))
        for name in more.names { object[name] = more[name] }
        let problem = #expect(throws: JPushProblem.self) { try JPushRequest(object.json) }
        #expect(problem?.code == code, "\(problem?.message ?? "")")
    }

    private static func many(_ count: Int) -> String { (0..<count).map { "\"a\($0)\"" }.joined(separator: ",") }
}

@Suite("The keys of JPush's interface")
struct JPushKeysTests {
    private static let key = "0123456789abcdef01234567"
    private static let secret = "76543210fedcba9876543210"

    @Test("H04.refused are app keys and groups, one a line")
    func lines() throws {
        let keys = try JPushKeys("# mine\n\(Self.key):\(Self.secret)\n\ngroup-\(Self.secret):\(Self.key)\n")
        #expect(keys.has(Self.key) && !keys.has("group-\(Self.secret)") && keys.firstKey == Self.key)
        #expect(keys.groups.has("group-\(Self.secret)") && !keys.isEmpty && JPushKeys.none.isEmpty)
    }

    @Test(
        "H04.refused are refused when they are no keys, can be guessed, or stand there twice",
        arguments: [
            "", "# none", "tea", "\(key)", "\(key):", ":\(secret)", "\(key):\(secret):x", "\(key):\(key)",
            "\(key):\(String(repeating: "ab", count: 12))", "\(key):\(secret.uppercased())", "\(key)0:\(secret)",
            "\(key):\(secret)\n\(key):\(secret)", "group-\(key):\(secret)",
        ])
    func faults(text: String) { #expect(throws: JPushKeys.Fault.self) { try JPushKeys(text) } }

    @Test(
        "H04.refused are shown as RFC 7617 says, or not at all",
        arguments: [
            (nil, 1004), ("Basic", 1004), ("Bearer x", 1004), ("Basic !", 1004), ("Basic dGVh", 1004),
            ("Basic dGVhOnRlYQ==", 1008),
        ])
    func shown(field: String?, code: Int) throws {
        let keys = try JPushKeys("\(Self.key):\(Self.secret)")
        guard case .failure(let problem) = keys.key(of: field, .push) else {
            Issue.record("it was let in")
            return
        }
        #expect(problem.code == code)
    }
}

@Suite("When a schedule of JPush's interface pushes")
struct JPushTriggerTests {
    private static func wall(_ text: String) throws -> WallTime { try #require(BeijingTime(text)).wall }

    private static func period(_ members: String) throws -> JPushTrigger {
        let json = #"{"periodical":{"start":"2026-01-30 12:00:00","end":"2026-12-31 00:00:00",\#(members)}}"#
        return try JPushTrigger(Array(json.utf8))
    }

    @Test(
        "H04.schedule has a clock eight hours ahead of UTC",
        arguments: [-1, 0, 1, 951_782_400, 1_709_164_800, 1_700_000_000])
    func clock(day: Int64) throws {
        let time = WallTime(seconds: max(0, day))
        #expect(BeijingTime(time).wall == time)
    }

    @Test("H04.schedule knows the days of the calendar, and no others")
    func calendar() throws {
        #expect(try Self.wall("1970-01-01 08:00:00") == WallTime(seconds: 0))
        #expect(try Self.wall("2026-11-23 23:25:00") == WallTime(seconds: 1_795_447_500))
        #expect(BeijingTime("2028-02-29 00:00:00") != nil)
        for text in [
            "2026-02-29 00:00:00", "2026-13-01 00:00:00", "2026-1-1 00:00:00", "2026-01-01 24:00:00",
            "2026-01-01 00:60:00", "2026-01-01", "2026-01-01T00:00:00", "+026-01-01 00:00:00", "",
        ] { #expect(BeijingTime(text) == nil) }
    }

    @Test(
        "H04.schedule comes again as its unit, frequency and points say",
        arguments: [
            (#""time":"11:00:00","time_unit":"day","frequency":2"#, ["2026-02-01 11:00:00", "2026-02-03 11:00:00"]),
            (#""time":"13:00:00","time_unit":"DAY","frequency":1"#, ["2026-01-30 13:00:00", "2026-01-31 13:00:00"]),
            (
                #""time":"07:00:00","time_unit":"week","frequency":2,"point":["MON","fri"]"#,
                ["2026-02-09 07:00:00", "2026-02-13 07:00:00", "2026-02-23 07:00:00"]
            ),
            (
                #""time":"07:00:00","time_unit":"month","frequency":1,"point":["01","31"]"#,
                ["2026-01-31 07:00:00", "2026-02-01 07:00:00", "2026-03-01 07:00:00", "2026-03-31 07:00:00"]
            ),
        ])
    func again(members: String, times: [String]) throws {
        let trigger = try Self.period(members)
        var now = try Self.wall("2026-01-01 00:00:00")
        for text in times {
            now = try #require(trigger.next(after: now))
            #expect(try now == Self.wall(text), "\(BeijingTime(now))")
        }
        #expect(trigger.next(after: try Self.wall("2026-12-31 00:00:00")) == nil)
    }

    @Test("H04.schedule is over when its one time is")
    func single() throws {
        let trigger = try JPushTrigger(Array(#"{"single":{"time":"2026-11-23 16:25:00"}}"#.utf8))
        let time = try Self.wall("2026-11-23 16:25:00")
        #expect(trigger.next(after: time + .seconds(-1)) == time && trigger.next(after: time) == nil)
        try trigger.check(at: time + .seconds(-1))
        #expect(throws: JPushProblem.self) { try trigger.check(at: time) }
        #expect(throws: JPushProblem.self) { try trigger.check(at: time + .seconds(-367 * 86_400)) }
    }
}
