import { STATUS_CODES } from 'node:http';
import type { RequestRejection, SandboxResponse } from './sandbox-response.ts';
import type { ErrorShape } from './variants.ts';

/** Services leave the name of the status out of these. */
const WITHOUT_TITLE = new Set([413, 415, 429, 500]);

/** A refusal in the shape in which the service gives its errors. */
export function renderRejection(rejection: RequestRejection, shape: ErrorShape): SandboxResponse {
  const { status, messages: message, headers } = rejection;
  const title = STATUS_CODES[status] ?? 'Error';
  const text = typeof message === 'string' ? message : message.join('; ');
  const json = (body: unknown, contentType = 'application/json; charset=utf-8'): SandboxResponse => {
    return { status, headers, contentType, text: JSON.stringify(body) };
  };
  switch (shape) {
    case 'nest':
      return json({ message, ...(WITHOUT_TITLE.has(status) ? {} : { error: title }), statusCode: status });
    case 'problem':
      return json({ type: 'about:blank', title, status, detail: text }, 'application/problem+json');
    case 'nested':
      return json({ error: { code: title.toLowerCase().replaceAll(/\W+/g, '_'), message: text } });
    case 'string':
      return json(text);
    case 'html':
      return { ...gatewayPage(status), headers };
    case 'empty':
      return { status, headers, contentType: 'text/plain', text: '' };
  }
}

/** The page with which a gateway before the service answers. */
export function gatewayPage(status: number): SandboxResponse {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
  return {
    status,
    contentType: 'text/html',
    text: `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n</body>\n</html>\n`,
  };
}
