import { describe, expect, it } from 'vitest';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

describe('the change of a role', () => {
  it.each([
    [['--name', 'A'], '--name must have 2 to 50 characters (got 1)'],
    [['--name', 'x'.repeat(51)], '--name must have 2 to 50 characters (got 51)'],
    [
      ['--permission', 'control'],
      '--permission: "control" is not of the form <resource>=<action>[,<action>...]',
      'For example: --permission control=read,update',
    ],
    [['--permission', 'control='], '--permission: "control" must not be blank, …'],
    [['--permission', 'control=read risk=read'], '--permission: "control" must be actions without spaces…'],
    [
      ['--obligation', 'compliance'],
      '--obligation: "compliance" is not of the form <key>=<boolean>',
      'For example: --obligation compliance=true',
    ],
    [['--obligation', 'compliance=maybe'], '--obligation compliance: "maybe" …', 'Use true or false…'],
    [['--obligation=a=true', '--obligation=a=false'], '--obligation: "a" is set twice'],
    [[], 'nothing to change', 'Use --name, --permission, --obligation, or --from.'],
  ])('is rejected before anything is sent: %j', async (argv: string[], message: string, hint?: string) => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(await run(['role', 'update', 'rol_1', ...argv]), message, hint);
    expect(service.requests).toEqual([]);
  });

  it.each([
    [
      '{}',
      '--from: standard input has none of name, permissions, obligations',
      'It must be an object such as {"name": "Auditor"}.',
    ],
    ['[]', '--from: … must be a JSON object with name, permissions, or obligations'],
    ['{"name":7}', '--from: name must be a string'],
    ['{"name":"A"}', '--from: name must have 2 to 50 characters (got 1)'],
    ['{"permissions":[]}', '--from: permissions must be an object of resource names to arrays of actions'],
    ['{"permissions":{"control":"read"}}', '--from: permissions: "control" must be an array of actions'],
    ['{"obligations":true}', '--from: obligations must be an object of names to booleans'],
    ['{"name":"QA","permision":{}}', '--from: unknown field "permision"', 'Known: name, permissions, obligations.'],
    ['{"nmae":"QA","permissions":{}}', '--from: unknown field "nmae"', 'Known: name, permissions, obligations.'],
    ['{"obligations":{"compliance":"true"}}', '--from: obligations: "compliance" must be true or false'],
  ])('is rejected before anything is sent: --from with %s', async (stdin: string, message: string, hint?: string) => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(await run(['role', 'update', 'rol_1', '--from', '-'], { stdin }), message, hint);
    expect(service.requests).toEqual([]);
  });

  it.each([
    ['yes', true],
    ['TRUE', true],
    ['no', false],
  ])('may have an obligation that is %s', async (written, value) => {
    const argv = ['role', 'update', 'rol_1', '--obligation', `compliance=${written}`, '--dry-run'];
    expect((await cli.plain(argv)).json()).toMatchObject({ body: { obligations: { compliance: value } } });
  });

  it('is rejected with the ignored fields if --from has nothing that an update accepts', async () => {
    const { service, run } = await cli.scripted([]);
    const stdin = '{"id":"rol_1","isBuiltIn":false,"obligations":null}';
    expect(await run(['role', 'update', 'rol_1', '--from', '-'], { stdin })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        textLike(`--from: orgadm left out fields that a role update does not accept: id, isBuiltIn, obligations (null)
error: --from: …
hint: …
`),
      ),
    });
    expect(service.requests).toEqual([]);
  });

  it('is rejected with the location of the error if --from is not valid JSON', async () => {
    const result = await cli.plain(['role', 'update', 'rol_1', '--from', '-'], { stdin: '{"name":' });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(textLike('error: --from: … end of JSON input\nhint: …\n'));
  });

  it('is rejected if the file of --from does not exist', async () => {
    const file = cli.file('none.json');
    expectUsageError(await cli.plain(['role', 'update', 'rol_1', '--from', file]), `--from: … ${file}: … (ENOENT)`);
  });

  it('has the options, and the other fields of --from', async () => {
    const { service, run } = await cli.scripted([{ status: 204 }]);
    const stdin = '{"name":7,"permissions":{"risk":["read"]},"obligations":{"compliance":true}}';
    const flags = ['--name', 'QA', '--permission', 'control=read', '--from', '-'];
    expect((await run(['role', 'update', 'rol_1', ...flags], { stdin })).code).toBe(0);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({
      name: 'QA',
      permissions: { control: ['read'] },
      obligations: { compliance: true },
    });
  });

  it('is rejected for a role identifier that is a step of a path', async () => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(await run(['role', 'update', '..', '--name', 'QA']), '".." …', 'Pass the full identifier.');
    expect(service.requests).toEqual([]);
  });

  it('is rejected without a role identifier', async () => {
    expectUsageError(
      await cli.plain(['role', 'update', '--name', 'QA']),
      "missing required argument 'role-id'",
      'See orgadm role update --help.',
    );
  });
});

describe('a name of 2 to 50 characters', () => {
  it.each(['日本', '🦊'.repeat(50)])('is sent: %s', async (name) => {
    const { service, run } = await cli.scripted([{ status: 204 }]);
    expect((await run(['role', 'update', 'rol_1', '--name', name])).code).toBe(0);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({ name });
  });
});
