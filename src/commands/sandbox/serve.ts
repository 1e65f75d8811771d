import { sandboxStateFile } from '../../config/target.ts';
import { printRecords, recordOf } from '../../output/print-records.ts';
import { SANDBOX_VALUES } from '../../sandbox/data.ts';
import { FAULT_VALUES, parseFaults } from '../../sandbox/faults.ts';
import { SIGNAL_EXIT, type Signal, stopOnSignal } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import { countParser } from '../define-command.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const PORT = countParser({ option: '--port', least: 0, most: 65_535, example: 8080 });

const HELP: HelpText = {
  examples: [
    'orgadm sandbox serve --port 8080',
    'orgadm sandbox serve --fault reset-after=0.1,error500=0.05,limit=100/min,latency=200ms',
  ],
  notes: [
    { heading: 'The sandbox has', items: SANDBOX_VALUES },
    'The sandbox keeps its state between commands. With --sandbox, a command runs it inside its own process.',
    { heading: 'Faults', items: FAULT_VALUES },
    'JSON output: {"url","apiKey"}.',
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
    await printRecords(
      recordOf({ url, apiKey }, () => [{ code }]),
      output,
    );
    await output.flush();
    output.note('Paste these two lines into another terminal. Ctrl-C stops the sandbox.');
    output.note('To see its people, roles, domains, and tasks: orgadm sandbox serve --help');
    context.exitCode = SIGNAL_EXIT[await received];
  } finally {
    await sandbox.close();
    release();
  }
}
