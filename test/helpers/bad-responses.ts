import type { Reply } from './scripted-service.ts';

/** Successful responses that have nothing to do with the interface. */
export const UNUSABLE_SUCCESSES = {
  page: { headers: { 'content-type': 'text/html' }, body: '<html><title>Sign in</title>Please sign in</html>' },
  string: { headers: { 'content-type': 'application/json' }, body: '"fine"' },
} as const satisfies Record<string, Reply>;
