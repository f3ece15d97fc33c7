// The page itself is kept by the browser, so that it opens without a network.

/** Without HTTPS, and in some private windows, there are no workers: then the page needs its server. */
export function keepShell() {
  if (!navigator.serviceWorker) return;
  const policy = globalThis.trustedTypes?.createPolicy('parley-shell', { createScriptURL: (url) => url });
  navigator.serviceWorker.register(policy ? policy.createScriptURL('worker.js') : 'worker.js').catch(() => {});
}
