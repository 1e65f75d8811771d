import type { ListSample, ListTotals } from '../list-options.ts';
import type { MemberEntry } from '../new-member.ts';

/** People of each end of a list that a sample has. */
const SAMPLE_SIZE = 2;

/** Roles to count. A list with more has something else in that column. */
const MAX_ROLES = 1000;

/** Counts people, and keeps the first and the last of them. */
export class PeopleTotals {
  readonly #statuses = { active: 0, inactive: 0, unset: 0 };
  readonly #roles = new Map<string, { people: number }>();
  readonly sample: ListSample = { first: [], last: [] };

  add(value: MemberEntry): void {
    const { first, last } = this.sample;
    if (first.length < SAMPLE_SIZE) first.push(value);
    else if (last.push(value) > SAMPLE_SIZE) last.shift();
    this.#statuses[value.isActive === undefined ? 'unset' : value.isActive ? 'active' : 'inactive']++;
    const role = this.#roles.get(value.role);
    if (role !== undefined) role.people++;
    else if (this.#roles.size < MAX_ROLES) this.#roles.set(value.role, { people: 1 });
  }

  get totals(): ListTotals {
    return { ...this.#statuses, roles: new Map([...this.#roles].map(([role, { people }]) => [role, people])) };
  }
}
