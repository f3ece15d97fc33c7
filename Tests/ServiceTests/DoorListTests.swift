import Conversing
import Testing
import Vocabulary

@testable import Service

@Suite("The list of open doors")
struct DoorListTests {
    @Test("A list of doors is names with commas between them, all or none")
    func parsing() {
        #expect(DoorList("none") == DoorList.none && DoorList("all") == .all)
        #expect(DoorList("orderchat,flsocketim")?.names == ["orderchat", "flsocketim"])
        for wrong in [
            "", "nobody", "flsocketim,", "flsocketim,flsocketim", "all,none", "FLSocketIM", "flsocketim orderchat",
        ] {
            #expect(DoorList(wrong) == nil, "\(wrong)")
        }
    }

    @Test("Only the doors of the list are made, and each once")
    func made() {
        var settings = DoorSettings()
        for names in [[], ["flsocketim"], ["orderchat"], ["flsocketim", "orderchat"]] {
            settings.open = DoorList(names.isEmpty ? "none" : names.joined(separator: ",")) ?? .none
            #expect(settings.makeDoors().map { type(of: $0).name } == names)
        }
    }

    @Test("What a door alone may write is kept from others while it is closed, too")
    func keptFields() {
        #expect(DoorList.keptFields.members == ["fl", "oc", "rc"])
        #expect(
            DoorList.keptFields.idPrefixes
                == ["fl-", "order-", "rcg:", "rch:", "rcr:", "rco:", "rcs:", "rtr:"])
    }

    @Test("What a client says when it connects counts as not said where it makes no sense")
    func connectAuth() {
        let whole = ConnectAuth(parsing: Array(#"{"token":"T","device":"phone","recover":true}"#.utf8))
        #expect(whole.token == "T" && whole.device.text == "phone" && whole.mayReturn)
        for json in ["", "[]", "{", #"{"token":1,"device":"","recover":"no"}"#, "{}"] {
            let auth = ConnectAuth(parsing: Array(json.utf8))
            #expect(auth.token == nil && auth.device == .main && !auth.mayReturn, "\(json)")
        }
    }
}
