/*
 * The parts that the client uses. The index of undici also loads its fetch, caches and mocks, which takes a fifth
 * of the time of `findings list`. The index adds `connect`, which tunnels need, to the dispatchers.
 */
require('undici/lib/dispatcher/dispatcher.js').prototype.connect = require('undici/lib/api/api-connect.js');
exports.Agent = require('undici/lib/dispatcher/agent.js');
exports.EnvHttpProxyAgent = require('undici/lib/dispatcher/env-http-proxy-agent.js');
