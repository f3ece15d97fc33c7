/// Names one call from its first ring on.
package struct CallID: RandomName {
    package let token: RandomToken

    package init(_ token: RandomToken) { self.token = token }
}
