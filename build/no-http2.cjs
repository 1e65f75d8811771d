/*
 * Replaces `node:http2`, which undici loads for HTTP/2. The client does not turn HTTP/2 on, and loading it takes 5% of the time of
 * `findings list`. undici uses the same object on a Node.js without HTTP/2.
 */
exports.constants = {};
