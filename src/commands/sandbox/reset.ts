import { stateSubdirectory } from '../../config/directories.ts';
import { sandboxStateFile } from '../../config/target.ts';
import { removeRunsInto } from '../../import/journal/recorded-runs.ts';
import { printNotice, recordOf } from '../../output/print-records.ts';
import { text } from '../../output/text.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const HELP: HelpText = {
  examples: ['orgadm sandbox reset'],
  notes: [
    'orgadm also removes the runs of imports into the sandbox, even unfinished ones, so that you can import the ' +
      'same lists again.',
    'JSON output: {"file","removedRuns"}: the file of the state, and the number of runs.',
  ],
};

/** Registers `sandbox reset`. */
export default function registerSandboxReset(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .description('Reset the sandbox to its initial people, roles, and domains.')
    .action(() => runSandboxReset(context()));
}

/** Restores the initial state, and removes the runs whose people it had. */
async function runSandboxReset(context: Context): Promise<void> {
  const { resetSandbox } = await import('../../sandbox/store.ts');
  const file = sandboxStateFile(context.host);
  resetSandbox(file);
  const removedRuns = await removeRunsInto(stateSubdirectory(context.host, 'runs'), file);
  const removed = removedRuns === 0 ? '' : ` and removed ${countOf(removedRuns, 'import run')}`;
  await printNotice(recordOf({ file, removedRuns }), text`reset the sandbox${removed}`, context.output);
}
