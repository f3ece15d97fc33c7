import Arguments
import Service

/// `calls,rooms`, `all` or `none`.
struct HookTopics: Hashable, ExpressibleByArgument {
    let topics: Set<HookTopic>

    init() { self.topics = [] }

    init?(argument: String) {
        switch argument {
        case "all": self.topics = Set(HookTopic.allCases)
        case "none": self.topics = []
        default:
            let names = argument.split(separator: ",", omittingEmptySubsequences: false)
            let topics = names.compactMap { HookTopic(rawValue: String($0)) }
            guard topics.count == names.count, Set(topics).count == topics.count else { return nil }
            self.topics = Set(topics)
        }
    }

    static var valueName: String? { "LIST" }
    static var expectation: String {
        "names with commas between them (\(HookTopic.allCases.map(\.rawValue).joined(separator: ", "))), all or none"
    }

    var argumentDescription: String {
        let names = HookTopic.allCases.filter { self.topics.contains($0) }.map(\.rawValue)
        return names.isEmpty ? "none" : names.count == HookTopic.allCases.count ? "all" : names.joined(separator: ",")
    }
}
