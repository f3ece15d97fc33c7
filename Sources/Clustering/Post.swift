/// What nodes tell each other. It makes them quick; what is right they read in the database. Lives on the loop of the sockets.
package protocol Post: AnyObject {
    /// Whether anybody else is there.
    var hasPeers: Bool { get }
    /// To all other nodes, with whatever else is said in this turn. What cannot be carried is lost, and they learn that.
    func publish(_ news: NodeNews)
    /// Called with what others say.
    var onNews: ([NodeNews]) -> Void { get set }
    /// Called when something may have been missed: everything that is followed has to be read again.
    var onGap: () -> Void { get set }
    /// Whether this node does what only one does at a time.
    var isOnDuty: Bool { get }
    /// Called when the duty comes to this node.
    var onDuty: () -> Void { get set }
    /// Called when this node sees that it has the duty no more.
    var onDutyLost: () -> Void { get set }
}
