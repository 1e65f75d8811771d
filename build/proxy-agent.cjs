/*
 * The dispatcher for tunnels, in a file of its own: few runs need it. undici adds `connect` to all dispatchers in its index, which
 * is not loaded here. If a tunnel needs more of it, test/e2e/tls.test.ts and test/e2e/forward-proxy.test.ts fail, because they
 * run the built program.
 */
const { prototype } = require('undici/lib/dispatcher/dispatcher.js');
prototype.connect = require('undici/lib/api/api-connect.js');

module.exports = require('undici/lib/dispatcher/proxy-agent.js');
