/// How long a client waits, and how much may wait for it.
package struct ClientSettings: Hashable, Sendable {
    /// From the first dial until the server has let us in.
    package var connectTimeout = Duration.seconds(15)
    /// How long a request waits for its answer, the time without a connection included.
    package var answerTimeout = Duration.seconds(15)
    /// Whether a first attempt that fails is followed by others, as later ones are.
    package var insistsFromTheStart = false
    package var backOff = BackOffSettings()
    /// Requests that may wait for an answer.
    package var maximumRequests = 1000
    /// Events that may wait to be read. A slower reader is cut off; nothing is left out in between.
    package var maximumUnreadEvents = 4096

    package init() {}
}
