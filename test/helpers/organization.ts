/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The response to a bulk request (interface 4.2). */
export interface BulkBody {
  readonly created: readonly Json[];
  readonly errors: readonly Json[];
  readonly summary: Json;
  readonly authType: string;
  readonly authenticatedUser?: Json;
}

/** What the interface leaves open, and who cannot be added. */
export interface OrganizationOptions {
  /** Returns the error for an entry with this user; undefined if the user can be added. */
  rejects?: (userId: string) => unknown;
  /** Returns the error for a user who is already a member. */
  memberError?: (userId: string) => unknown;
  /** The index of the first entry of a request. */
  indexBase?: 0 | 1 | undefined;
  /** Whether an error names the user. */
  identified?: boolean;
  /** Whom responses name as the caller; default: they do not. */
  authenticatedUser?: Json;
}

/** The work of the service on one bulk request. */
export interface BulkAdd {
  /** The entries as they were sent. */
  readonly entries: readonly Json[];
  readonly userIds: readonly string[];
  /** The users whom the request adds: those that were not members when it arrived, and are not rejected. */
  readonly added: readonly string[];
  /** Adds these users of `added`, which are all by default. Returns those whom the request had not added before. */
  add(userIds?: readonly string[]): readonly string[];
  /** Returns the correct response for these users, which are all by default. */
  result(userIds?: readonly string[]): BulkBody;
}

export interface Organization {
  /** Number of memberships of each user. Two are the fault that tests look for. */
  readonly members: Map<string, number>;
  /** Reads who is a member, as services do once for each request: nothing stops a row that is sent again too early. */
  receive(entries: readonly Json[]): BulkAdd;
}

/** Creates an organization without members that answers bulk requests (interface 4.2). */
export function createOrganization({
  rejects = () => undefined,
  memberError = (userId) => `User ${userId}@example.com is already a member of this organization`,
  indexBase = 0,
  identified = true,
  authenticatedUser,
}: OrganizationOptions = {}): Organization {
  const members = new Map<string, number>();

  const receive = (entries: readonly Json[]): BulkAdd => {
    const users = entries.map((entry) => ({ entry, userId: String(entry.userId) }));
    const known = new Set(users.map(({ userId }) => userId).filter((userId) => members.has(userId)));
    const errorOf = (userId: string) => (known.has(userId) ? memberError(userId) : rejects(userId));
    const results = users.map((user, at) => ({ ...user, index: at + indexBase, error: errorOf(user.userId) }));
    const added = results.flatMap(({ userId, error }) => (error === undefined ? [userId] : []));
    const done = new Set<string>();
    return {
      entries,
      userIds: users.map(({ userId }) => userId),
      added,
      add(userIds = added) {
        const missing = userIds.filter((userId) => !done.has(userId));
        for (const userId of missing) members.set(userId, (members.get(userId) ?? 0) + 1);
        for (const userId of missing) done.add(userId);
        return missing;
      },
      result(userIds) {
        const reported = results.filter(({ userId }) => userIds?.includes(userId) ?? true);
        const created = reported.filter(({ error }) => error === undefined).map(({ entry }) => memberOf(entry));
        const errors = reported
          .filter(({ error }) => error !== undefined)
          .map(({ index, userId, error }) => ({ index, ...(identified ? { userId } : {}), error }));
        const summary = { total: entries.length, successful: created.length, failed: errors.length };
        return { created, errors, summary, authType: 'api-key', ...(authenticatedUser && { authenticatedUser }) };
      },
    };
  };
  return { members, receive };
}

function memberOf({ userId, role, department = 'none', isActive = true }: Json): Json {
  const user = { id: userId, name: 'Ada Byron', email: 'ada@example.com', emailVerified: true };
  return { id: `mem_${userId}`, organizationId: 'org_1', userId, role, department, isActive, user };
}
