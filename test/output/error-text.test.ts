import { expect, test } from 'vitest';
import { renderErrorJson, renderErrorText } from '../../src/output/output.ts';
import { plainStyle } from '../../src/output/style.ts';
import { OrgadmError, UsageError } from '../../src/util/errors.ts';

const plain = { debug: false, style: plainStyle };
const rejected = new OrgadmError('rejected', 1, "Cannot grant 'control:delete' permission", {
  hint: 'Ask an owner.',
  status: 403,
  requestId: 'req_1',
});

test('for people: the message and the hint', () => {
  expect(renderErrorText(rejected, plain)).toBe(
    "error: Cannot grant 'control:delete' permission\nhint: Ask an owner.\n",
  );
  expect(renderErrorText(new UsageError('no such flag'), plain)).toBe('error: no such flag\n');
});

test('for people: the words of others are cleaned', () => {
  const error = new OrgadmError('rejected', 1, 'the service said: \x1b[2Jgone\nline 2\u202e', {
    hint: 'see \x1b]8;;x\x07this',
  });
  expect(renderErrorText(error, plain)).toBe('error: the service said: gone\nline 2\\u202e\nhint: see this\n');
});

test('colors the label, not the message', () => {
  const style = {
    ...plainStyle,
    error: (text: string) => `<bad>${text}</bad>`,
    dim: (text: string) => `<dim>${text}</dim>`,
  };
  expect(renderErrorText(rejected, { debug: false, style })).toBe(
    "<bad>error:</bad> Cannot grant 'control:delete' permission\n<dim>hint: Ask an owner.</dim>\n",
  );
});

test('for scripts: one line, members without a value left out', () => {
  expect(renderErrorJson(rejected, { debug: false })).toBe(
    '{"error":{"code":"rejected","message":"Cannot grant \'control:delete\' permission","hint":"Ask an owner.","status":403,"requestId":"req_1"}}\n',
  );
  expect(renderErrorJson(new UsageError('a\nb\u202e'), { debug: false })).toBe(
    '{"error":{"code":"usage","message":"a\\nb\\u202e"}}\n',
  );
});

test('prints the sanitized stack and causes with debug', () => {
  const socket = new Error('connect \x1b[31mECONNREFUSED');
  const cause = new AggregateError([socket, 'not even an error'], 'all addresses failed');
  const error = new OrgadmError('unreachable', 6, 'no response', { cause });
  const text = renderErrorText(error, { debug: true, style: plainStyle });
  const reported = text.split('\n').filter((line) => !line.startsWith('    at '));
  expect(reported).toEqual([
    'error: no response',
    'OrgadmError: no response',
    'caused by: AggregateError: all addresses failed',
    'caused by: Error: connect ECONNREFUSED',
    'caused by: not even an error',
    '',
  ]);
  expect(text).toContain('error-text.test.ts');
  const { stack } = (JSON.parse(renderErrorJson(error, { debug: true })) as { error: { stack: string } }).error;
  expect(stack).toContain('caused by: AggregateError: all addresses failed');
});

test('renders circular causes only once', () => {
  const first = new Error('first');
  const second = new Error('second', { cause: first });
  first.cause = second;
  const text = renderErrorText(new OrgadmError('internal', 1, 'top', { cause: first }), {
    debug: true,
    style: plainStyle,
  });
  expect(text.match(/caused by/g)).toHaveLength(2);
});
