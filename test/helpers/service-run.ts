import { expect } from 'vitest';
import { API_KEY } from './api-key.ts';
import { closeAfterTests } from './opened.ts';
import { type CliOptions, type CliResult, runCli } from './run-cli.ts';
import { type ScriptedService, type ScriptOptions, startScriptedService } from './scripted-service.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { createAutoClock } from './test-clock.ts';
import { textLike } from './text-like.ts';

type Script = Parameters<typeof startScriptedService>[0];

/** A scripted service, and a function that runs the tool against it. */
export interface ServiceRun {
  readonly service: ScriptedService;
  run(argv: readonly string[], options?: CliOptions): Promise<CliResult>;
}

export interface CommandRunner {
  /** A file in the folder of this test. */
  file(name: string): string;
  /** Without any service or key. */
  plain(argv: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** Against the embedded service. */
  sandbox(argv: readonly string[], options?: CliOptions): Promise<CliResult>;
  /**
   * Runs against a service with scripted responses. Waits take no time.
   *
   * @param options replace those of the runner
   */
  scripted(script: Script, options?: ScriptOptions): Promise<ServiceRun>;
}

/**
 * The ways in which the tests of a command run it. Everything is closed and removed after each test.
 *
 * @param key the API key in the environment of `scripted` runs
 * @param options those of its services
 */
export function createCommandRunner(key = API_KEY, options: ScriptOptions = {}): CommandRunner {
  const home = temporaryFolder();
  const opened = closeAfterTests();
  return {
    file: (name) => home.file(name),
    plain: (argv, options) => runCli(home.path, argv, options),
    sandbox: (argv, options) => runCli(home.path, [...argv, '--sandbox'], options),
    async scripted(script, own = options) {
      const service = opened(await startScriptedService(script, own));
      return {
        service,
        run: (argv, options = {}) =>
          runCli(home.path, argv, {
            clock: createAutoClock(),
            random: () => 0,
            ...options,
            env: { ORGADM_BASE_URL: service.url, ORGADM_API_KEY: key, ...options.env },
          }),
      };
    },
  };
}

/**
 * A usage error: exit 2, nothing on standard output, the message and then its hint on standard error. In both, `…` stands for
 * words that have a test of their own.
 */
export function expectUsageError(result: CliResult, message: string, hint?: string): void {
  const lines = hint === undefined ? [`error: ${message}`] : [`error: ${message}`, `hint: ${hint}`];
  expect({ code: result.code, stdout: result.stdout, stderr: result.stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(textLike(`${lines.join('\n')}\n`)),
  });
}
