import { describe, expect, it } from 'vitest';
import { VARIANT_HELP } from '../../src/sandbox/behaviors.ts';
import { runCli, temporaryCliDirectory } from '../helpers/run-cli.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import type { Operation } from './behaviors.ts';
import { withoutProgress } from './invariants.ts';
import { SHORT } from './run.ts';

const home = temporaryCliDirectory();

const LIST = 'userId,role,department\nusr_0100,member,it\nusr_0001,admin,\nusr_0101,member,hr\nusr_9999,member,it\n';
const WITH_LABELS = 'userId,role,deviceMgmtLabelId\nusr_0100,member,7\nusr_0001,admin,\nusr_0101,member,\n';
const COMMANDS: Readonly<Record<Operation, readonly string[]>> = {
  role: ['role', 'update', 'rol_custom_1', '--permission=control=read', '--obligation=compliance=true'],
  people: ['people', 'bulk-add', '-'],
  domain: ['domain', 'status', 'trust.example.com', '--exit-status'],
  findings: ['findings', 'list', '--task=tsk_0001'],
};
const REPORTED = 'created existing created failed';
const ROLE = 'Risk Reviewer control=read';
const LISTED = 'fnd_0001 fnd_0002 fnd_0003 fnd_0004 fnd_0005';
const NOT_ECHOED = /sent, but not returned by the service: obligations\n$/;

interface Rehearsal {
  variant: string;
  operation: Operation;
  code: number;
  out: string;
  err?: RegExp;
  list?: string;
  argv?: readonly string[];
}

const people = (variant: string, code = 3, out = REPORTED, err = /^$/, list = LIST): Rehearsal => {
  return { variant, operation: 'people', code, out, err, list };
};
const role = (variant: string, code: number, out: string, err: RegExp): Rehearsal => {
  return { variant, operation: 'role', code, out, err };
};
const domain = (variant: string, code: number, out: string): Rehearsal => {
  return { variant, operation: 'domain', code, out, err: /^$/ };
};
const findings = (variant: string, code = 0, out = LISTED, err = /^$/, argv?: readonly string[]): Rehearsal => {
  return { variant, operation: 'findings', code, out, err, ...(argv && { argv }) };
};

const REHEARSALS: Rehearsal[] = [
  people('index-base=0'),
  people('index-base=1'),
  people('batch-limit=2'),
  people('batch-limit=2,batch-limit-status=413,batch-limit-message=vague'),
  people('batch-limit=1,batch-limit-status=422'),
  people('department=required,entry-rejection=request', 3, 'created failed created failed'),
  people('department=required,entry-rejection=entry', 3, 'created failed created failed'),
  people(
    'label-name=fleetLabelId',
    3,
    'failed existing created',
    /config set wire.member.deviceMgmtLabelId/,
    WITH_LABELS,
  ),
  people('error-names=userId'),
  people('error-names=index'),
  people('error-names=index,index-base=1'),
  people('error-names=neither', 3, 'created recovered created failed', /cannot be attributed to a row/),
  people('member-message=exists'),
  people('member-message=code'),
  people('member-message=other', 3, 'created failed created failed', /config set wire.member.existing/),
  people('created=reversed'),
  people('created=twice', 3, REPORTED, /lists a deactivated membership of/),
  people('summary=absent'),
  people(
    'summary=wrong',
    3,
    REPORTED,
    /is inconsistent: summary.successful is 4, but the number of created entries is 2/,
  ),
  people('auth-type=session'),
  people('auth-type=absent,authenticated-user=no'),
  people('success-status=200'),
  people('success-status=207'),
  people('success-status=204', 3, 'unknown unknown unknown unknown', /to continue/),
  role('success-status=204', 0, '', /updated; the service did not return the role\n$/),
  role('success-status=201', 0, ROLE, NOT_ECHOED),
  role('echo-obligations=yes', 0, ROLE, /may be dropped\nthe role now has permissions on control only\n$/),
  domain('misconfigured=boolean', 0, 'ready'),
  domain('unknown-domain=error', 0, 'ready'),
  domain('misconfigured=object', 0, 'ready'),
  domain('misconfigured=other-object', 7, 'not ready'),
  domain('misconfigured=null', 7, 'not ready'),
  domain('misconfigured=absent', 0, 'ready'),
  domain('cname-target=plain', 0, 'ready'),
  domain('cname-target=absent', 0, 'ready'),
  findings('envelope=data'),
  findings('envelope=data.items', 0, LISTED, /the member "data"/),
  findings('page-size=2', 0, 'fnd_0001 fnd_0002', /the header x-total-count is 5/),
  findings('page-size=2,envelope=data.items', 0, 'fnd_0001 fnd_0002', /data.total is 5, but the list has 2/),
  findings('page-size=5'),
  findings('task-name=task_id,no-selector=reject', 1, '', /config set wire.findings.task <name>/),
  findings('task-name=task_id,unknown-parameter=reject', 1, '', /property taskId should not exist/),
  findings('unknown-parameter=reject'),
  findings('no-selector=reject', 1, '', /pass --task/, ['findings', 'list', '--all']),
  findings('unknown-task=reject', 5, '', /tsk_9999 not found/, ['findings', 'list', '--task=tsk_9999']),
  findings('unknown-task=empty', 0, '', /^$/, ['findings', 'list', '--task=tsk_9999']),
  ...['nest', 'problem', 'nested', 'string'].map((shape) => {
    return findings(`error-shape=${shape}`, 5, '', /Task tsk_9999 not found/, ['findings', 'list', '--task=tsk_9999']);
  }),
  ...['html', 'empty'].map((shape) => {
    return findings(`error-shape=${shape}`, 5, '', /\(404\)/, ['findings', 'list', '--task=tsk_9999']);
  }),
];

describe('the sandbox', () => {
  it.each(REHEARSALS)(
    'reproduces --variant $variant for $operation',
    async ({ variant, operation, code, out, err, list, argv }) => {
      const message = [...(argv ?? COMMANDS[operation]), '--json', '--sandbox', '--variant', variant];
      const options = { clock: createAutoClock(), stdin: list ?? '' };
      const result = await runCli(home.path, message, options);
      const short = result.stdout === '' ? '' : SHORT[operation](result.json());
      expect({ code: result.code, out: short }, result.stderr).toEqual({ code, out });
      expect(withoutProgress(result.stderr)).toMatch(err ?? /^$/);
    },
  );

  it('reproduces findings of every scope if the selector is ignored', async () => {
    const argv = ['findings', 'list', '--scope=people', '--count', '--sandbox', '--variant', 'ignore-scope=yes'];
    expect(await runCli(home.path, argv)).toMatchObject({
      code: 0,
      stdout: '58\n',
      stderr: expect.stringContaining('of 58 findings have no scope'),
    });
  });

  it('reproduces every behavior that its help lists', () => {
    const tried = new Set(REHEARSALS.flatMap(({ variant }) => variant.split(',').map((part) => part.split('=')[0])));
    const listed = VARIANT_HELP.split('\n')
      .filter((line) => /^ {2}\S/.test(line))
      .flatMap((line) => (line.split(':')[0] ?? '').trim().split(', '));
    expect(listed.filter((name) => !tried.has(name))).toEqual(['ignore-scope']);
  });
});
