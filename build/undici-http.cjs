/* Of Node's own HTTP, which takes a tenth of its start to load, undici needs a class to tell a stream by and a number. */
exports.IncomingMessage = class IncomingMessage {};
exports.maxHeaderSize = 16 * 1024;
