/* What the client needs of undici: its fetch, caches and mocks take as long to load as all the rest of a command. */
exports.Agent = require('undici/lib/dispatcher/agent.js');
Object.defineProperty(exports, 'ProxyAgent', { get: () => require('undici/lib/dispatcher/proxy-agent.js') });
