import type { Command } from 'commander';
import { sandboxStateFile } from '../../config/settings.ts';
import { printRecords, recordOf } from '../../output/print-records.ts';
import { joinText, text } from '../../output/text.ts';
import { FAULT_HELP, parseFaults, parseVariants, VARIANT_HELP } from '../../sandbox/behaviors.ts';
import { SANDBOX_IDS } from '../../sandbox/seed.ts';
import { UsageError } from '../../util/errors.ts';
import { SIGNAL_EXIT, type Signal, stopOnSignal } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import { parseCount, setHelpText } from '../define-command.ts';

const LABEL_WIDTH = 20;

const HELP = `
Ids:
${listIds()}

Its state is kept between runs. With --sandbox, every command runs it inside its own
process.

--fault name=value,... injects faults. Of the probabilities up to html, at most one
applies to a request; with -after, the change is made before the fault:
${FAULT_HELP}

--variant name=value,... sets the behavior where services differ; the default
comes first:
${VARIANT_HELP}

Examples:
  $ orgadm sandbox serve --port 8080
  $ orgadm sandbox serve --fault reset=0.1,error500=0.05,limit=100/min,latency=200ms,seed=7
  $ orgadm sandbox serve --variant index-base=1,envelope=data,error-shape=problem

Output: the two lines that set the environment variables; with -o json {"url","apiKey"}.
Standard error lists these ids, and then each request.
`;

/** Registers `sandbox serve`. */
export function registerSandboxServe(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Serve a sandbox of the interface on loopback, until interrupted.')
    .option('--port <port>', 'port to listen on (default: a free one)', parsePort)
    .action((options: { port?: number }) => runSandboxServe(options, context()));
}

/** Serves until a signal is received. */
async function runSandboxServe({ port = 0 }: { port?: number }, context: Context): Promise<void> {
  const { output, host, flags } = context;
  const { startSandbox } = await import('../../sandbox/server.ts');
  const sandbox = await startSandbox({
    stateFile: sandboxStateFile(host),
    port,
    ...(flags.fault === undefined ? {} : { faults: parseFaults(flags.fault) }),
    ...(flags.variant === undefined ? {} : { variants: parseVariants(flags.variant) }),
    log: (line) => output.note(line),
  });
  let release = () => {};
  // Listens before printing the address: a reader may end the sandbox at once.
  const received = new Promise<Signal>((resolve) => {
    release = stopOnSignal(host, resolve);
  });
  try {
    const { url, apiKey } = sandbox;
    const code = [`export ORGADM_BASE_URL=${url}`, `export ORGADM_API_KEY=${apiKey}`];
    const views = recordOf({ url, apiKey }, () => [{ code, language: 'sh' }]);
    await printRecords(views, output);
    await output.flush();
    output.note(text`ids to try, also at ${sandbox.url}/:\n${joinText(listIds().split('\n'), text`\n`)}`);
    output.note('serving until interrupted (Ctrl-C)');
    context.exitCode = SIGNAL_EXIT[await received];
  } finally {
    await sandbox.close();
    release();
  }
}

/** Lists the ids of the sandbox, each kind on lines of at most 78 columns. */
function listIds(): string {
  return Object.entries(SANDBOX_IDS)
    .map(([kind, ids]) => {
      const label = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      const lines = ids.match(/\S.{0,53}(?=,? |$),?/g) ?? [];
      return `  ${label.padEnd(LABEL_WIDTH)}  ${lines.join(`\n${' '.repeat(LABEL_WIDTH + 4)}`)}`;
    })
    .join('\n');
}

function parsePort(written: string): number {
  const port = parseCount(written, '--port', 0);
  if (port > 65_535) throw new UsageError(`--port must be at most 65535 (got ${port})`);
  return port;
}
