internal import Clustering

/// What is done by one node for all: telling other programs and devices what was written, by whichever node. Lives on the home loop.
final class Errands {
    private let post: (any Post)?
    private var begins: [() -> Void] = []
    private var ends: [() -> Void] = []
    private var calls: [() -> Void] = []
    private var hasBegun = false

    init(_ post: (any Post)?) {
        self.post = post
        post?.onDuty = { [unowned self] in self.begin() }
        post?.onDutyLost = { [unowned self] in for end in self.ends { end() } }
    }

    /// Whether it is this node that does them.
    var isOurs: Bool { self.post?.isOnDuty ?? true }

    /// Whether other writers may be there, which give out numbers beside ours.
    var isShared: Bool { self.post != nil }

    /// - Parameters:
    ///   - begin: called when this node has to do it from now on, whatever it knows from earlier.
    ///   - call: there may be something to do.
    ///   - end: called when another node does it from now on, because this one stood still or does not reach the database.
    func add(
        begin: @escaping () -> Void = {}, call: @escaping () -> Void = {}, end: @escaping () -> Void = {}
    ) {
        self.begins.append(begin)
        self.ends.append(end)
        self.calls.append(call)
        if self.hasBegun, self.isOurs { begin() }
    }

    /// The doors are open. Beside others the duty comes when it comes.
    func open() {
        if self.post == nil { self.begin() }
    }

    private func begin() {
        self.hasBegun = true
        for begin in self.begins { begin() }
    }

    /// There may be something to do, for whoever does it.
    func call() {
        guard self.isOurs else { return self.post?.publish(.errand) ?? () }
        self.callHere()
    }

    func callHere() {
        if self.isOurs { for call in self.calls { call() } }
    }
}
