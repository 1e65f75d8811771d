/*
 * The two dispatchers that the client uses. The index of undici also loads its fetch, caches and mocks, which makes
 * `findings list` as a table a third slower.
 *
 * If undici renames one of these files, the build fails. If its index adds something to the dispatchers, as it adds the
 * `connect` that a tunnel needs, it is missing here: test/e2e/tls.test.ts and test/e2e/forward-proxy.test.ts would fail,
 * because they run the built program.
 */
exports.Agent = require('undici/lib/dispatcher/agent.js');
Object.defineProperty(exports, 'ProxyAgent', {
  get() {
    require('undici/lib/dispatcher/dispatcher.js').prototype.connect = require('undici/lib/api/api-connect.js');
    return require('undici/lib/dispatcher/proxy-agent.js');
  },
});
