/* What the client needs of undici: its fetch, caches and mocks take as long to load as all the rest of a command. */
exports.Agent = require('undici/lib/dispatcher/agent.js');
exports.ProxyAgent = require('undici/lib/dispatcher/proxy-agent.js');
