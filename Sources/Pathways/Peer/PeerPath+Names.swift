internal import ICE
internal import Vocabulary

// `.local` names of theirs. Ours are made where an address begins to be used.

extension PeerPath {
    func resolve(_ name: String) {
        guard let names = self.means.names else {
            return self.act { $0.nameResolved(name, nil, at: $1, into: &$2) }
        }
        names.resolve(name) { [weak self] ip in self?.act { $0.nameResolved(name, ip, at: $1, into: &$2) } }
    }
}
