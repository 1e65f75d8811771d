/** The API key of the tests that need no other one. It must never be seen outside its header. */
export const API_KEY = 'canary-key-0123456789abcdef';
