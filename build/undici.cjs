/*
 * The two dispatchers that the client uses. undici's own index also loads its fetch, caches and mocks, with which
 * `findings list` as a table takes a third longer.
 *
 * When undici changes: a file that is renamed fails the build. Something else that its index starts to add to the
 * dispatchers, as it adds the `connect` that a tunnel needs, would be missing here; test/e2e/tls.test.ts and
 * test/e2e/forward-proxy.test.ts use the built program for this reason.
 */
exports.Agent = require('undici/lib/dispatcher/agent.js');
Object.defineProperty(exports, 'ProxyAgent', {
  get() {
    Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'));
    return require('undici/lib/dispatcher/proxy-agent.js');
  },
});
