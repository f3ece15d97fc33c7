import Arguments
import Testing

@Suite("A value")
struct PrecedenceTests {
    @Test("of the command line stands over the environment, that over the file, and that over the default")
    func order() throws {
        var harbour = Harbour(files: ["o": "speed = slow\n"])
        #expect(try harbour.sail("p").speed == .steady)
        #expect(try harbour.sail("p", "--orders", "o").speed == .slow)
        harbour.environment = ["SHIP_SPEED": "full"]
        #expect(try harbour.sail("p", "--orders", "o").speed == .full)
        #expect(try harbour.sail("p", "--orders", "o", "-s", "steady").speed == .steady)
    }

    @Test("comes from the variable that carries its name, and from no other")
    func variables() throws {
        let harbour = Harbour(environment: [
            "SHIP_TIME_LIMIT": "5m", "DEPTH": "4", "SHIP_DEPTH": "9", "SHIP_SECRET": "7", "SHIP_DRY_RUN": "yes",
            "SHIP_LAMPS": "off", "SHIP_VERBOSE": "2", "SHIP_CARGO": "tea", "SHIP_FROM": "home", "SHIP_SPEED": "",
        ])
        let sail = try harbour.sail("p")
        #expect(sail.timeLimit == .seconds(300) && sail.depth == 4 && sail.secret == nil && sail.dryRun)
        #expect(!sail.lamps && sail.verbose == 2 && sail.cargo == ["tea"] && sail.chart.from == "home")
        #expect(sail.speed == .steady)
    }

    @Test("comes from a file of names and values, with comments and repeated lines")
    func file() throws {
        let text =
            "# orders\r\n\n  speed=full  \ncargo = tea # not a comment\ncargo = a = b\n\tdry-run = true\nverbose = 3\nlamps=no\nto ="
        let harbour = Harbour(environment: ["SHIP_ORDERS": "o"], files: ["o": text])
        let sail = try harbour.sail("p")
        #expect(sail.speed == .full && sail.cargo == ["tea # not a comment", "a = b"] && sail.dryRun)
        #expect(sail.verbose == 3 && !sail.lamps && sail.chart.to == "")
    }

    @Test(
        "that is wrong says where it was found",
        arguments: [
            ("speed full", "o line 1: 'speed full' is not of the form 'name = value'"),
            ("\nsped = full", "o line 2: unknown name 'sped'; did you mean 'speed'?"),
            ("speed = fall", "o line 1: 'fall' is not one of slow, steady, full; did you mean 'full'?"),
            ("speed = full\nspeed = slow", "o line 2: 'speed' was already set in o line 1"),
            ("orders = p", "o line 1: 'orders' cannot be set in a file"),
            ("port = p", "o line 1: unknown name 'port'"),
            ("help = yes", "o line 1: unknown name 'help'"),
            ("dry-run = perhaps", "o line 1: 'perhaps' is not yes or no"),
            ("= x", "o line 1: unknown name ''"),
        ]
    )
    func fileErrors(text: String, message: String) {
        #expect(Harbour(files: ["o": text]).refusal("sail", "p", "--orders", "o") == "ship sail: \(message)")
    }

    @Test("in the environment that is wrong names the variable")
    func variableErrors() {
        #expect(
            Harbour(environment: ["DEPTH": "deep"]).refusal("sail", "p") == "ship sail: DEPTH: 'deep' is not a number"
        )
        #expect(
            Harbour(environment: ["SHIP_ORDERS": "lost"]).refusal("sail", "p")
                == "ship sail: SHIP_ORDERS: 'lost' cannot be read: no such file"
        )
    }
}

@Suite("A quantity")
struct QuantityTests {
    @Test(
        "of time has a unit",
        arguments: [
            ("100ms", Duration.milliseconds(100), "100ms"), ("30s", .seconds(30), "30s"),
            ("1.5s", .milliseconds(1500), "1500ms"),
            ("5m", .seconds(300), "5m"), ("90m", .seconds(5400), "90m"), ("2h", .seconds(7200), "2h"),
            ("7d", .seconds(604_800), "7d"), ("250us", .microseconds(250), "250us"), ("0", .zero, "0s"),
            ("0s", .zero, "0s"),
        ]
    )
    func times(text: String, duration: Duration, shown: String) {
        #expect(Duration(argument: text) == duration)
        #expect(duration.argumentDescription == shown)
    }

    @Test(
        "of time is refused otherwise",
        arguments: ["", "5", "s", "-5s", "5 s", "5S", "1e3s", "5x", "99999999999d", ".5s", "5.s", "五s", "infs"])
    func noTimes(text: String) {
        #expect(Duration(argument: text) == nil)
    }

    @Test("is a plain number where nothing else is said")
    func numbers() {
        #expect(Int(argument: "-12") == -12 && Int(argument: "1.0") == nil && Int(argument: "0x10") == nil)
        #expect(UInt16(argument: "65535") == 65_535 && UInt16(argument: "65536") == nil)
        #expect(Double(argument: "2.5") == 2.5 && Double(argument: "nan") == nil && Double(argument: "inf") == nil)
        #expect(Bool(argument: "ON") == true && Bool(argument: "0") == false && Bool(argument: "maybe") == nil)
    }
}
