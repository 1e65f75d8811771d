import type { Host } from '../util/host.ts';
import { cleanLine } from './sanitize.ts';
import { promptLine } from './secret-prompt.ts';

/**
 * Asks on the terminal whether to make a change. Only `y` and `yes` confirm it.
 *
 * @param question a sentence; may contain untrusted text
 * @throws as `promptSecret` does
 */
export async function confirmChange(question: string, host: Host): Promise<boolean> {
  const reply = await promptLine(`${cleanLine(question)} [y/N] `, host, {
    isSecret: false,
    undone: 'nothing was changed',
    missing: 'the question got no reply',
  });
  return /^y(es)?$/i.test(reply.trim());
}
