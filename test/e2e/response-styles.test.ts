import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEED } from '../helpers/fixed-seed.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { runBuilt } from '../helpers/run-built.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { type Handler, isFirstRead, type Recorded, startScriptedService } from '../helpers/scripted-service.ts';
import { type SeededRandom, seededRandom } from '../helpers/seeded-random.ts';

/*
 * The built program against three services whose responses are drawn at random from what the interface leaves open: names of
 * envelopes, of further fields, and of the fields of an error, the order of lists, the index base, and status codes. SEED draws
 * others.
 */

const folder = temporaryCliDirectory();
const opened = closeAfterTests();

const WORDS = ['outcome', 'batch', 'note', 'trace', 'tenant', 'shard', 'cursor', 'build', 'locale', 'origin', 'ticket'];
/** How style guides and frameworks name the list in a response. */
const ENVELOPES = ['data', 'results', 'items', 'records', 'value', 'content', 'findings'];
const MESSAGE = 'Quota of the tenant is used up';
/** The exit code of each status of an error. */
const EXIT_CODES: Readonly<Record<number, number>> = { 400: 1, 401: 4, 403: 4, 404: 5, 409: 1, 422: 1, 500: 6, 503: 6 };
/** Those after which an import ends. After others it goes on with other rows, or later. */
const ENDING = [401, 403];

interface Style {
  readonly name: string;
  /** Whether the list of findings is in an object. */
  readonly isEnveloped: boolean;
  /** Joins the words of a name. */
  readonly join: (words: readonly string[]) => string;
}

const camel = ([first = '', ...others]: readonly string[]) =>
  first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
const snake = (words: readonly string[]) => words.join('_');

const STYLES: readonly Style[] = [
  { name: 'bare lists', isEnveloped: false, join: camel },
  { name: 'lists in an envelope, and names in camel case', isEnveloped: true, join: camel },
  { name: 'lists in an envelope, and names in snake case', isEnveloped: true, join: snake },
];

const USERS = ['usr_1', 'usr_2', 'usr_3', 'usr_4', 'usr_5', 'usr_6'];

/** A service in a style, with what its commands have to report. */
function draw({ isEnveloped, join }: Style, draws: SeededRandom) {
  const name = () => join(draws.shuffle(WORDS).slice(0, 2));
  const further = () => ({ [name()]: draws.pick(['x', 7, true, null, ['a'], { [name()]: 'y' }]) });
  /** Adds another field, in any order. */
  const widened = (object: object) => Object.fromEntries(draws.shuffle(Object.entries({ ...object, ...further() })));
  const indexBase = draws.int(0, 1);
  const rejected = new Set(draws.shuffle(USERS).slice(0, draws.int(1, 3)));
  const member = (userId: string) => widened({ id: `mem_${userId}`, userId, role: 'member', isActive: true });
  const bulk = ({ body }: Recorded) => {
    const ids = (JSON.parse(body) as { members: { userId: string }[] }).members.map(({ userId }) => userId);
    const entries = [...ids.entries()].filter(([, userId]) => rejected.has(userId));
    const errors = entries.map(([at, userId]) => widened({ index: at + indexBase, userId, error: MESSAGE }));
    const created = ids.filter((userId) => !rejected.has(userId)).map(member);
    return widened({
      created: draws.shuffle(created),
      errors: draws.shuffle(errors),
      summary: { total: ids.length, successful: created.length, failed: errors.length },
      authType: 'api-key',
    });
  };
  const findings = draws.shuffle(['fnd_1', 'fnd_2', 'fnd_3']).map((id) => widened({ id, taskId: 'tsk_1' }));
  const error = widened({ [draws.pick(['message', 'error', 'detail', name()])]: MESSAGE });
  const responses: [string, (request: Recorded) => unknown][] = [
    ['/v1/roles', () => widened({ id: 'rol_1', name: 'Auditor', permissions: {}, isBuiltIn: false })],
    ['/v1/people', bulk],
    ['/v1/trust-portal', () => widened({ domain: 'a.test', verified: true, misconfigured: { misconfigured: false } })],
    ['/v1/findings', () => (isEnveloped ? widened({ [draws.pick(ENVELOPES)]: findings }) : findings)],
  ];
  let failure: number | undefined;
  const respond: Handler = (request) => {
    if (failure !== undefined && !isFirstRead(request.path))
      return { status: failure, body: isEnveloped ? { [name()]: error } : error };
    const [, response] = responses.find(([path]) => request.path.startsWith(path)) ?? [];
    return { status: request.method === 'POST' ? draws.pick([200, 201]) : 200, body: response?.(request) };
  };
  return {
    respond,
    /** Rejects every request from now on with one of these statuses, and returns it. */
    fail: (statuses: readonly number[]) => {
      failure = draws.pick(statuses);
      return failure;
    },
    rejected,
    description: JSON.stringify({ indexBase, rejected: [...rejected], error }),
  };
}

describe(`a service whose responses are drawn from SEED=${SEED}`, () => {
  it.each(STYLES)(
    'is understood by every command: $name',
    async (style) => {
      const service = draw(style, seededRandom(SEED + STYLES.indexOf(style)));
      const { url } = opened(await startScriptedService(service.respond));
      const env = { ORGADM_BASE_URL: url, ORGADM_API_KEY: 'key-of-the-styles' };
      const run = (argv: readonly string[]) => runBuilt(folder.path, argv, { env });
      const list = folder.file('list.csv');
      writeFileSync(list, `userId,role\n${USERS.map((userId) => `${userId},member\n`).join('')}`);
      const commands = {
        role: ['role', 'update', 'rol_1', '--name', 'Auditor', '--json'],
        people: ['people', 'bulk-add', list, '--json', '--all-rows'],
        domain: ['domain', 'status', 'a.test', '--json'],
        findings: ['findings', 'list', '--task', 'tsk_1', '--json'],
      };
      const what = `SEED=${SEED}: ${service.description}`;

      const role = await run(commands.role);
      expect({ code: role.code, ...JSON.parse(role.stdout) }, what).toMatchObject({ code: 0, name: 'Auditor' });
      const people = await run(commands.people);
      const rows = (JSON.parse(people.stdout) as { rows: { userId: string; state: string; error: string }[] }).rows;
      expect({ code: people.code, rows }, what).toMatchObject({
        code: 3,
        rows: USERS.map((userId) =>
          service.rejected.has(userId) ? { userId, state: 'failed', error: MESSAGE } : { userId, state: 'created' },
        ),
      });
      const domain = await run(commands.domain);
      expect({ code: domain.code, status: JSON.parse(domain.stdout) }, what).toMatchObject({ code: 0 });
      const findings = await run(commands.findings);
      expect(findings.code, `${what} ${findings.stderr}`).toBe(0);
      const ids = (JSON.parse(findings.stdout) as { id: string }[]).map(({ id }) => id).sort();
      expect({ code: findings.code, ids }, what).toEqual({ code: 0, ids: ['fnd_1', 'fnd_2', 'fnd_3'] });

      for (const argv of Object.values(commands)) {
        const isImport = argv === commands.people;
        const status = service.fail(isImport ? ENDING : Object.keys(EXIT_CODES).map(Number));
        const { code, stderr } = await run([...argv, ...(isImport ? ['--restart'] : []), '--retries', '0']);
        expect({ status, code }, `${what}\n${stderr}`).toEqual({ status, code: EXIT_CODES[status] });
        expect(stderr, what).toContain(MESSAGE);
      }
    },
    60_000,
  );
});
