/// Names one Engine.IO session on the wire (`sid`), and one socket among others.
package struct SessionID: RandomName {
    package let token: RandomToken

    package init(_ token: RandomToken) { self.token = token }
}
