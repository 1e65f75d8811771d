/*
 * The two dispatchers that the client uses. The index of undici also loads its fetch, caches and mocks, which makes
 * `findings list` as a table a third slower. If undici renames the file of one of them, the build fails.
 */
exports.Agent = require('undici/lib/dispatcher/agent.js');
Object.defineProperty(exports, 'ProxyAgent', { get: () => require('built:proxy-agent.cjs') });
