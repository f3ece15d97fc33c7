import TestSupport
import Testing
import Vocabulary

@testable import Clustering

@Suite("Y17 The order of all changes")
struct LedgerMachineTests {
    private let own: RandomToken
    private let other: RandomToken

    init() {
        var random = SeededRandom(seed: 3)
        (self.own, self.other) = (RandomToken(using: &random), RandomToken(using: &random))
    }

    private func entry(_ number: UInt64, _ node: RandomToken, _ content: LedgerEntry.Content) throws -> LedgerEntry {
        try #require(LedgerEntry("=\(number) 1 \(LedgerEntry.text(content, of: node, life: 1))"))
    }

    /// Inside, beside another node, and what is ordered behind that.
    private func orders(of contents: [LedgerEntry.Content]) throws -> (LedgerMachine, [LedgerMachine.Order]) {
        var (machine, orders) = (LedgerMachine(self.own), [LedgerMachine.Order]())
        machine.saysHello(&orders)
        machine.heard(try self.entry(1, self.own, .hello(isFirst: true)), &orders)
        machine.heard(try self.entry(2, self.other, .hello(isFirst: false)), &orders)
        machine.heard(try self.entry(3, self.other, .here), &orders)
        orders = []
        for (place, content) in contents.enumerated() {
            machine.heard(try self.entry(UInt64(4 + place), self.other, content), &orders)
        }
        return (machine, orders)
    }

    private func serials(_ orders: [LedgerMachine.Order]) -> [UInt64] {
        orders.compactMap { if case .apply(_, _, let serial, _) = $0 { serial } else { nil } }
    }

    @Test("carries out what a node has said once, whoever repeats it")
    func repeated() throws {
        let said: [LedgerEntry.Content] = [
            .changes([[1], [2]], from: 1), .changes([[1], [2]], from: 1), .part([3], of: 3, isLast: true),
            .part([3], of: 3, isLast: true), .changes([[2], [4]], from: 2), .changes([[4], [5]], from: 4),
        ]
        let (machine, orders) = try self.orders(of: said)
        #expect(self.serials(orders) == [1, 2, 3, 4, 5])
        #expect(machine.members[self.other]?.serial == 5 && machine.number == 9)
    }

    @Test("takes no hello for a new one that is in no later life")
    func helloAgain() throws {
        for isFirst in [false, true] {
            let (machine, orders) = try self.orders(of: [.hello(isFirst: isFirst), .changes([[1]], from: 1)])
            #expect(machine.isInside && self.serials(orders) == [1])
            #expect(orders.count == 1)
        }
    }
}
