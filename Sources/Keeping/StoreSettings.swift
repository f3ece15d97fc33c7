package import Conversing

/// What an engine is told when it is opened, and every operation may ask.
package struct StoreSettings: Hashable, Sendable {
    package var conversations = ConversationSettings()
    /// Whether another program wants to hear of every entry. What was written before stays until it is delivered.
    package var keepsOutbox = false
    /// Whether devices that sleep are woken for messages.
    package var keepsPushes = false
    /// As many devices as one user may stay signed in on.
    package var maximumRefreshFamilies = 32
    /// Bytes of a picture that is shown beside every name.
    package var maximumAvatarBytes = 10 << 20

    package init() {}
}
