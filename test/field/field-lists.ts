import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../helpers/people-service.ts';
import { type CommandRunner, createCommandRunner } from '../helpers/service-run.ts';

/** A file in `lists/`, or the name and the content of another one. */
export type List = string | readonly [name: string, content: string | Uint8Array];

/** A list as administrators have it. */
export interface FieldList {
  readonly list: List;
  readonly args?: readonly string[];
  /** What a person sees in it. */
  readonly sees: string;
  /** What orgadm does with it. */
  readonly does: string;
  /** The entries that arrive; none by default. */
  readonly sent?: readonly object[];
  /** The exit code; by default 0 if entries arrive, 2 if none do. */
  readonly code?: number;
  /** Parts of the output, in which an invalid row of a table begins with `line 3: `. */
  readonly said?: readonly string[];
  /** What the output must not suggest. */
  readonly unsaid?: readonly string[];
}

/** Imports a list with these options, and returns the entries that arrived and what orgadm printed. */
export async function importList(cli: CommandRunner, list: List, options: readonly string[] = []) {
  const file = typeof list === 'string' ? pathOf(list) : cli.file(list[0]);
  if (typeof list !== 'string') writeFileSync(file, list[1]);
  const { service, run } = await cli.scripted(addsMembers());
  const { code, stdout, stderr } = await run(['people', 'bulk-add', file, ...options]);
  const printed = `${stdout}${stderr}`.replace(/^ *(\d+) {2}.*? +invalid {2}/gm, 'line $1: ');
  return { code, sent: service.requests.flatMap(membersOf), printed };
}

/** Returns the path of a file in `lists/`. */
export function pathOf(file: string): string {
  return join(import.meta.dirname, 'lists', file);
}

/** Defines a test for each list: what arrives, the exit code, and what orgadm says. */
export function describeFieldLists(subject: string, lists: readonly FieldList[]): void {
  describe(`a list as administrators have it: ${subject}`, () => {
    const cli = createCommandRunner();
    const cases = lists.map((one) => [one.sees, one.does, nameOf(one), one] as const);

    it.each(cases)('a person sees %s; orgadm %s: %s', async (_sees, _does, _name, { list, args, ...expected }) => {
      const { sent = [], code = sent.length > 0 ? 0 : 2, said = [], unsaid = [] } = expected;
      const result = await importList(cli, list, args);
      expect({ code: result.code, sent: result.sent }, result.printed).toEqual({ code, sent });
      for (const part of said) expect(result.printed).toContain(part);
      for (const part of unsaid) expect(result.printed).not.toContain(part);
    });
  });
}

function nameOf({ list, args = [] }: FieldList): string {
  return [typeof list === 'string' ? list : list[0], ...args].join(' ');
}
