/*
 * Replaces undici's HTTP/2, which the client does not enable (`allowH2: false`): Node's modules for it and for TLS would
 * make `findings list` as a table 7 % slower. If undici renames the file, the build fails. If it calls this for HTTP/1.1,
 * every request fails, and with them all tests of the built program.
 */
module.exports = () => {
  throw new Error('HTTP/2 is not supported');
};
