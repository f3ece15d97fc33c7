internal import CUV

/// What a loop knows about everything that owns a libuv handle: how to end it when the loop ends.
///
/// libuv keeps using a handle's memory until its close callback. So the handle holds a reference to its owner
/// from the day it is opened to that callback, and the owner frees the memory in `deinit`.
package class HandleOwner {
    func loopEnds() {}

    /// Gives a handle back to libuv, which lets go of its owner once it has.
    final func close(_ handle: UnsafeMutableRawPointer) {
        unsafe uv_close(handle.assumingMemoryBound(to: uv_handle_t.self)) { handle in
            guard let data = unsafe handle?.pointee.data else { return }
            unsafe Unmanaged<HandleOwner>.fromOpaque(data).release()
        }
    }

    static func of(_ handle: UnsafeMutablePointer<uv_handle_t>) -> HandleOwner? {
        guard unsafe handle.pointee.type == UV_POLL || handle.pointee.type == UV_SIGNAL else { return nil }
        guard let data = unsafe handle.pointee.data else { return nil }
        return unsafe Unmanaged<HandleOwner>.fromOpaque(data).takeUnretainedValue()
    }
}
