import type { Profile } from '../../config/profiles.ts';
import type { Output } from '../../output/output.ts';
import { text } from '../../output/text.ts';

/** Warns that the profile still gets its key from a program. */
export function warnOfKeyCommand(profile: string, values: Profile, output: Output): void {
  if (values['key-command'] === undefined) return;
  output.warn(text`profile ${profile} has a key-command, which overrides a stored key`);
  output.note(text`To remove it: orgadm config unset key-command --profile ${profile}`);
}
