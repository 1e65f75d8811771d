import { shortRunId } from '../../import/journal/run-identity.ts';

/** Returns the command `orgadm runs <verb>` for a run. */
export function runsCommand(verb: 'show' | 'resume', id: string): string {
  return `orgadm runs ${verb} ${shortRunId(id)}`;
}
