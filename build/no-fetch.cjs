/* Bodies of undici's fetch, such as forms, which the client never sends. */
exports.extractBody = () => {
  throw new Error('only a text or bytes can be sent: bodies of fetch are left out of this build');
};
