/*
 * Replaces what undici has for HTTP/2, which the client does not enable (`allowH2: false`), and for bodies of the type
 * FormData, which it never sends: with them `findings list` as a table takes 8 % longer. If undici renames one of the files, the
 * build fails. If it calls this for other requests, they fail, and with them all tests of the built program.
 */
const unsupported = () => {
  throw new Error('HTTP/2 and FormData are not supported');
};

module.exports = Object.assign(unsupported, { extractBody: unsupported });
