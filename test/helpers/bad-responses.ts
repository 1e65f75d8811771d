import type { ServiceError } from '../../src/client/service-error.ts';
import type { ErrorCode } from '../../src/util/errors.ts';
import type { RawReply, Reply } from './scripted-service.ts';

const HTML = { 'content-type': 'text/html' };

/** A response and the expected error: exit code, code, the two facts, and part of the message. */
interface BadResponse {
  /** Completes "responds with". */
  name: string;
  reply: Reply | RawReply;
  exit: number;
  code: ErrorCode;
  isAmbiguous: ServiceError['isAmbiguous'];
  isTransient: ServiceError['isTransient'];
  message: string | RegExp;
  hint?: string | RegExp;
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  407: 'unreachable',
  408: 'timeout',
  409: 'conflict',
  413: 'too-large',
  429: 'rate-limited',
};

const rejection = (
  name: string,
  status: number,
  body: unknown,
  exit: number,
  message: BadResponse['message'],
  hint?: BadResponse['hint'],
): BadResponse => ({
  name,
  reply: { status, body },
  exit,
  code: CODES[status] ?? (status >= 500 ? 'service-failed' : 'rejected'),
  isAmbiguous: status >= 500 || [408, 409, 425, 499].includes(status),
  isTransient: status >= 500 || [408, 425, 429].includes(status),
  message,
  ...(hint ? { hint } : {}),
});
const raw = (bytes: string | Buffer, after: RawReply['after'] = 'end'): RawReply => ({ raw: bytes, after });
const interrupted = (
  name: string,
  reply: BadResponse['reply'],
  message: BadResponse['message'] = 'was lost',
): BadResponse => ({
  name,
  reply,
  exit: 6,
  code: 'interrupted',
  isAmbiguous: true,
  isTransient: true,
  message,
});
const invalid = (name: string, reply: BadResponse['reply'], message: BadResponse['message']): BadResponse => ({
  name,
  reply,
  exit: 1,
  code: 'invalid-response',
  isAmbiguous: true,
  isTransient: false,
  message,
});
const redirected = (
  name: string,
  reply: Reply,
  message: BadResponse['message'],
  hint: BadResponse['hint'],
): BadResponse => ({
  name,
  reply,
  exit: 1,
  code: 'redirect',
  isAmbiguous: true,
  isTransient: false,
  message,
  ...(hint ? { hint } : {}),
});

const nest = (statusCode: number, message: unknown, error?: string) => ({
  message,
  statusCode,
  ...(error ? { error } : {}),
});
/** Responses that end a request in an error, whatever its command. */
export const BAD_RESPONSES: readonly BadResponse[] = [
  // Keys and permissions
  rejection('a 401 without details', 401, nest(401, 'Unauthorized'), 4, '(401): Unauthorized', 'Check that the key'),
  rejection(
    'an expired key',
    401,
    nest(401, 'Invalid or expired API key', 'Unauthorized'),
    4,
    'Invalid or expired API key',
    'Check that the key',
  ),
  rejection(
    'a 403 that names a permission',
    403,
    nest(403, "Cannot grant 'control:delete' permission - you don't have this permission", 'Forbidden'),
    4,
    "Cannot grant 'control:delete' permission",
    'Use a key',
  ),
  rejection(
    'a 403 that names no permission',
    403,
    nest(403, 'Forbidden resource'),
    4,
    'Forbidden resource',
    'Use a key',
  ),
  {
    ...rejection('a 403 page', 403, '', 4, 'a gateway or another server responded', /says nothing about the API key/),
    code: 'gateway',
    reply: { status: 403, headers: HTML, body: '<title>Blocked by WAF</title>' },
  },

  // Not found
  rejection('an unknown role', 404, nest(404, 'Role not found', 'Not Found'), 5, 'Role not found', 'the base URL'),
  {
    ...rejection('a 404 page', 404, '', 5, 'Nothing here'),
    reply: { status: 404, headers: HTML, body: '<title>Nothing here</title>' },
    hint: 'base URL',
  },
  rejection('an empty 404', 404, '', 5, ' (404)'),

  // Rejected because of the request
  rejection(
    'messages about many fields',
    400,
    nest(
      400,
      Array.from({ length: 40 }, (_, row) => `members.${row}.role is wrong`),
    ),
    1,
    'members.9.role is wrong; and 30 more',
  ),
  rejection(
    'long messages about many fields, of which the first ones are repeated',
    400,
    nest(
      400,
      Array.from({ length: 2_000 }, (_, row) => `members.${row}.department must be one of: ${'x'.repeat(420)}`),
    ),
    1,
    /^the service rejected the request \(400\): members\.0\.department must be one of: x{420}; members\.1\.department must be one of: x{420}; and 1998 more$/,
  ),
  rejection('a 400 without a message', 400, '', 1, ' (400)', 'not JSON'),
  rejection(
    'a conflict',
    409,
    nest(409, 'Role was changed by another request'),
    1,
    'changed by another request',
    'current state',
  ),
  rejection(
    'a body that is too large',
    413,
    nest(413, 'request entity too large'),
    1,
    'request entity too large',
    '--batch-size',
  ),
  interrupted('a truncated rejection', raw('HTTP/1.1 400 Bad Request\r\nContent-Length: 500\r\n\r\nonly this much')),

  // Rate limits
  rejection('a rate limit', 429, nest(429, 'ThrottlerException: Too Many Requests'), 6, 'Too Many Requests'),
  {
    ...rejection('a rate limit with a time', 429, '', 6, 'the request was rate limited'),
    reply: { status: 429, headers: { 'retry-after': '60' } },
    hint: '60 s',
  },
  rejection('a 407 of a proxy', 407, '', 6, 'proxy rejected the credentials'),
  rejection('a 408', 408, '', 6, 'timed out while waiting'),

  // Server errors
  rejection('a 500', 500, nest(500, 'Internal server error'), 6, 'Internal server error', 'the request'),
  rejection('a 599', 599, '', 6, '(599)'),

  // Redirects
  redirected(
    'a redirect to another host',
    { status: 301, headers: { location: 'https://api.example.com/v1/people/bulk?k=1' } },
    '(301) to https://api.example.com/v1/people/bulk,',
    'Check the base URL',
  ),
  redirected(
    'a redirect to a login page',
    { status: 302, headers: { location: '/login?next=%2Fv1' } },
    /\(302\) to http:\/\/127\.0\.0\.1:\d+\/login,/,
    'Check the base URL',
  ),
  redirected(
    'a redirect with credentials in it',
    { status: 303, headers: { location: 'https://user:secret@example.com/x#y' } },
    'to https://example.com/x,',
    'Check the base URL',
  ),
  redirected('a redirect without a target', { status: 307 }, '(307) to an invalid address', 'Check the base URL'),
  invalid('a 304', { status: 304 }, 'unexpected status 304'),
  invalid('a 600', raw('HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n'), /unexpected status 600|not valid HTTP/),

  // Truncated responses
  interrupted('nothing at all', raw('')),
  interrupted('a reset', raw('', 'reset')),
  interrupted('half a status line', raw('HTTP/1.1 20')),
  interrupted('a truncated body', raw('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"created":[')),
  interrupted('chunks without an end', raw('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"cre\r\n')),

  // Not a response to any request
  invalid('another protocol', raw('SSH-2.0-OpenSSH_9.6\r\n'), 'not valid HTTP'),
  invalid(
    'endless headers',
    raw(`HTTP/1.1 200 OK\r\n${'x-filler: 0123456789\r\n'.repeat(4_000)}`, 'hang'),
    'UND_ERR_HEADERS_OVERFLOW',
  ),
];

/** Successful responses that have nothing to do with the interface. */
export const UNUSABLE_SUCCESSES = {
  page: { headers: HTML, body: '<html><title>Sign in</title>Please sign in</html>' },
  string: { headers: { 'content-type': 'application/json' }, body: '"fine"' },
} as const satisfies Record<string, Reply>;

/** Returns the row of `BAD_RESPONSES` with this name. */
export function badResponse(name: string): BadResponse {
  const found = BAD_RESPONSES.find((response) => response.name === name);
  if (found === undefined) throw new Error(`there is no bad response ${JSON.stringify(name)}`);
  return found;
}
