/// The version of what nodes say to each other: it is raised with every change to what their entries, letters, news and snapshots look like, or to
/// the order in which what follows from an entry is carried out. It counts releases: what was changed since the last one has its number.
///
/// Nodes of different versions do not believe each other, as with different secrets: a change that one of them does not understand would
/// leave the two with different rooms and calls, without an error. News of a new kind
/// need no new version: older nodes ignore them.
package enum NodeProtocol {
    package static let version = 3
}
