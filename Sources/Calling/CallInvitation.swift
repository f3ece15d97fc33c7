package import Vocabulary

/// What a call is made of.
package enum CallKind: String, Hashable, Sendable, CaseIterable {
    case audio
    case video
}

/// A caller asks for a call.
package struct CallInvitation: Hashable, Sendable {
    package let id: CallID
    package let caller: Line
    package let callee: UserID
    package let kind: CallKind

    package init(_ id: CallID, from caller: Line, to callee: UserID, kind: CallKind) {
        self.id = id
        self.caller = caller
        self.callee = callee
        self.kind = kind
    }
}
