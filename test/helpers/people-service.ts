import type { Handler, Recorded } from './scripted-service.ts';

export interface PeopleServiceOptions {
  /** Words of refusal by userId; everybody else is added. */
  rejected?: Readonly<Record<string, string>>;
  /** The index of the first entry of a request (interface 4.2 leaves it open). */
  base?: 0 | 1;
  /** Whether an error names the user. */
  identified?: boolean;
}

/** Answers a bulk request (interface 4.2): adds everybody but those who are refused. */
export function startAddMembersService({
  rejected = {},
  base = 0,
  identified = true,
}: PeopleServiceOptions = {}): Handler {
  return (request) => {
    const ids = membersOf(request).map(({ userId }) => String(userId));
    const created = ids.filter((id) => rejected[id] === undefined).map((id) => ({ id: `mem_${id}`, userId: id }));
    const errors = ids.flatMap((id, at) => {
      const error = rejected[id];
      return error === undefined ? [] : [{ index: at + base, ...(identified ? { userId: id } : {}), error }];
    });
    const summary = { total: ids.length, successful: created.length, failed: errors.length };
    return { status: 201, body: { created, errors, summary, authType: 'api-key' } };
  };
}

/** The entries of a request, as they went over the wire. */
export function membersOf(request: Recorded): Record<string, unknown>[] {
  return (JSON.parse(request.body) as { members: Record<string, unknown>[] }).members;
}
