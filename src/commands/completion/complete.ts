import type { Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import { cleanLine } from '../../output/sanitize.ts';
import type { Host } from '../../util/host.ts';
import { type Candidate, completeArguments } from './candidates.ts';

/** Registers the command that the completion scripts call: `orgadm __complete -- <words>`, the last one at the cursor. */
export function registerComplete(program: Command, context: () => Context): void {
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action((args: string[]) => runComplete(args, program, context()));
}

/** Prints what the shell is to offer: words, files or folders on the first line, then a candidate and its description each. */
export async function runComplete(args: readonly string[], program: Command, context: Context): Promise<void> {
  const current = args.at(-1) ?? '';
  const { kind, candidates, prefix } = completeArguments(program, args.slice(0, -1), current);
  const all = kind === 'profiles' ? await profiles(context.host) : candidates;
  const lines = all
    .map(({ value, description }) => ({ value: `${prefix}${value}`, description }))
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description }) => (description === '' ? value : `${value}\t${description}`));
  await context.output.write(
    [kind === 'profiles' ? 'words' : kind, ...lines].map((line) => `${withoutControls(line)}\n`).join(''),
  );
}

/** The profiles that are there; none where their file is broken, for no key press is to end in an error. */
async function profiles(host: Host): Promise<Candidate[]> {
  try {
    const [{ readProfiles }, { readStoredKeys }] = await Promise.all([
      import('../../config/profiles.ts'),
      import('../../config/stored-keys.ts'),
    ]);
    const names = new Set([...(await readProfiles(host)).keys(), ...(await readStoredKeys(host)).keys()]);
    return [...names].map((value) => ({ value, description: '' }));
  } catch {
    return [];
  }
}

function withoutControls(line: string): string {
  return line.split('\t').map(cleanLine).join('\t');
}
