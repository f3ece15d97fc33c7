package import Conversing
internal import Vocabulary

extension SQLiteStore: OutboxStore {
    package func keepOutbox(_ isKept: Bool, _ answer: @escaping Answer<Void>) {
        self.database.send(OutboxQueries.Keep(isKept: isKept), answer)
    }

    package func deliveries(after number: Int64, limit: Int, _ answer: @escaping Answer<[Delivery]>) {
        self.database.send(OutboxQueries.Waiting(after: number, limit: limit), answer)
    }

    package func deliveries(
        in conversation: ConversationKey, _ numbers: ClosedRange<Int64>, limit: Int,
        _ answer: @escaping Answer<[Delivery]>
    ) {
        let request = OutboxQueries.WaitingInOne(conversation: conversation, numbers: numbers, limit: limit)
        self.database.send(request, answer)
    }

    package func delivered(_ number: Int64, _ answer: @escaping Answer<Void>) {
        self.database.send(OutboxQueries.Delivered(number: number), answer)
    }

    package func failed(_ failure: DeliveryFailure, _ answer: @escaping Answer<Void>) {
        self.database.send(OutboxQueries.Failed(failure: failure), answer)
    }

    package func outbox(limit: Int, _ answer: @escaping Answer<OutboxView>) {
        self.database.send(OutboxQueries.View(limit: limit), answer)
    }

    package func replay(_ request: ReplayRequest, _ answer: @escaping Answer<Int>) {
        self.database.send(OutboxQueries.Replay(request: request), answer)
    }
}
