import type { Handler, Recorded } from './scripted-service.ts';

export interface PeopleServiceOptions {
  /** Error messages by userId; all other users are added. */
  rejected?: Readonly<Record<string, string>>;
  /** The index of the first entry of a request (interface 4.2 leaves it open). */
  base?: 0 | 1;
  /** Whether an error names the user. */
  identified?: boolean;
}

/** Responds to a bulk request (interface 4.2): adds all users but the rejected ones. */
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

/** Returns the entries of a request, as they were sent. */
export function membersOf(request: Recorded): Record<string, unknown>[] {
  return (JSON.parse(request.body) as { members: Record<string, unknown>[] }).members;
}

/** Returns one finding, and adds every user of a bulk request. */
export const addAnyone: Handler = (request, response) =>
  request.path.includes('/v1/findings') ? { body: [{ id: 'fnd_1' }] } : startAddMembersService()(request, response);
