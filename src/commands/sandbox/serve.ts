import { sandboxStateFile } from '../../config/settings.ts';
import { printRecords, recordOf } from '../../output/print-records.ts';
import { joinText, text } from '../../output/text.ts';
import { parseFaults } from '../../sandbox/faults.ts';
import { SANDBOX_VALUES } from '../../sandbox/fixtures.ts';
import { SIGNAL_EXIT, type Signal, stopOnSignal } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import { countParser } from '../define-command.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const LABEL_WIDTH = 20;
const PORT = countParser({ option: '--port', least: 0, most: 65_535, example: 8080 });

const HELP: HelpText = {
  examples: [
    'orgadm sandbox serve --port 8080',
    'orgadm sandbox serve --fault reset=0.1,error500=0.05,limit=100/min,latency=200ms,seed=7',
  ],
  notes: [
    { heading: 'The sandbox has', items: describeValues() },
    'The sandbox keeps its state between commands. With --sandbox, a command runs it inside its own process.',
    '--fault name=value,... injects faults. At most one fault with a probability applies to a request:',
    {
      items: {
        'reset, hang, error500': 'a probability from 0 to 1, such as 0.05',
        'reset-after, hang-after, error500-after': 'a probability; the sandbox makes the change before the fault',
        latency: 'a duration up to 10m, such as 200ms',
        limit: 'requests per period, such as 100/min, 30/10s, or 5/s; rejections have Retry-After',
        seed: 'an integer',
      },
    },
    'Output: two lines to paste into another terminal. With -o json: {"url","apiKey"}. ' +
      'Standard error lists the values above, and then each request.',
  ],
};

/** Registers `sandbox serve`. */
export default function registerSandboxServe(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
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
    // The variable may have it already, and people are to copy it.
    output.secrets.remove(apiKey);
    const code = [`export ORGADM_BASE_URL=${url}`, `export ORGADM_API_KEY=${apiKey}`];
    const views = recordOf({ url, apiKey }, () => [{ code }]);
    await printRecords(views, output);
    await output.flush();
    output.note(text`values to try:\n${joinText(valueLines(), text`\n`)}`);
    output.note('Paste the first two lines into another terminal. Ctrl-C stops the sandbox.');
    context.exitCode = SIGNAL_EXIT[await received];
  } finally {
    await sandbox.close();
    release();
  }
}

/** Describes the values that the sandbox accepts: `custom roles`, `rol_custom_1 to rol_custom_3`. */
function describeValues(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SANDBOX_VALUES).map(([kind, values]) => [
      kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      values,
    ]),
  );
}

function valueLines(): string[] {
  return Object.entries(describeValues()).map(([kind, values]) => `  ${kind.padEnd(LABEL_WIDTH)}  ${values}`);
}
