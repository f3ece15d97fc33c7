package import Vocabulary

/// The callee's devices that a call may wake: none where the callee does not want to hear from the caller.
package struct FindCallDevices: StoreRequest {
    package let caller: UserID
    package let callee: UserID

    package static let access = StoreAccess.reads

    package init(from caller: UserID, to callee: UserID) {
        self.caller = caller
        self.callee = callee
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [PushDevice] {
        try tables.isBlocked(self.caller, by: self.callee) ? [] : try tables.pushDevices(of: self.callee)
    }
}
