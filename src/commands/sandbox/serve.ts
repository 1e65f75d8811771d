import type { Command } from 'commander';
import { sandboxStateFile } from '../../config/settings.ts';
import { printRecords, recordOf } from '../../output/print-records.ts';
import { joinText, text } from '../../output/text.ts';
import { parseFaults } from '../../sandbox/faults.ts';
import { SANDBOX_VALUES } from '../../sandbox/fixtures.ts';
import { SIGNAL_EXIT, type Signal, stopOnSignal } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import { countParser, setHelpText } from '../define-command.ts';

const LABEL_WIDTH = 20;
const PORT = countParser({ option: '--port', least: 0, most: 65_535, example: 8080 });

const HELP = `
The sandbox has:
${renderValues()}

The sandbox keeps its state between commands. With --sandbox, a command runs it inside
its own process.

--fault name=value,... injects faults. At most one fault with a probability applies
to a request. With -after, the sandbox makes the change before the fault:
  reset, reset-after, hang, hang-after, error500, error500-after:
      a probability from 0 to 1, such as 0.05
  latency: a duration up to 10m, such as 200ms
  limit: requests per period, such as 100/min, 30/10s, or 5/s; rejections
      have Retry-After
  seed: an integer

Examples:
  $ orgadm sandbox serve --port 8080
  $ orgadm sandbox serve --fault reset=0.1,error500=0.05,limit=100/min,latency=200ms,seed=7

Output: two lines to paste into another terminal. With -o json: {"url","apiKey"}.
Standard error lists the values above, and then each request.
`;

/** Registers `sandbox serve`. */
export function registerSandboxServe(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Run a sandbox service on this machine until you interrupt it.')
    .option('--port <port>', 'port to listen on (default: a free one)', PORT)
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
    output.note(text`values to try:\n${joinText(renderValues().split('\n'), text`\n`)}`);
    output.note('Paste the first two lines into another terminal. Ctrl-C stops the sandbox.');
    context.exitCode = SIGNAL_EXIT[await received];
  } finally {
    await sandbox.close();
    release();
  }
}

/** Renders the values that the sandbox accepts, each kind on lines of at most 78 columns. */
function renderValues(): string {
  return Object.entries(SANDBOX_VALUES)
    .map(([kind, values]) => {
      const label = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      const lines = values.match(/\S.{0,53}(?=,? |$),?/g) ?? [];
      return `  ${label.padEnd(LABEL_WIDTH)}  ${lines.join(`\n${' '.repeat(LABEL_WIDTH + 4)}`)}`;
    })
    .join('\n');
}
