import type { NewMember } from '../../new-member.ts';

/** Totals of the valid rows of a list, which show whether a column was read the wrong way around. */
export interface Totals {
  readonly active: number;
  readonly inactive: number;
  /** People for whom the member does not say it. */
  readonly unset: number;
  /** People by role. */
  readonly roles: ReadonlyMap<string, number>;
}

/** The first and the last two valid members of a list: footers and totals are at its end. */
export interface Sample {
  readonly first: NewMember[];
  /** Without those that are among the first. */
  readonly last: NewMember[];
}

/** People of each end of a list that a sample has. */
const SAMPLE_SIZE = 2;

/** Roles to count. A list with more has something else in that column. */
const MAX_ROLES = 1000;

/** Counts people, and keeps the first and the last of them. */
export class PeopleTotals {
  readonly #statuses = { active: 0, inactive: 0, unset: 0 };
  readonly #roles = new Map<string, { people: number }>();
  readonly sample: Sample = { first: [], last: [] };

  add(member: NewMember): void {
    const { first, last } = this.sample;
    if (first.length < SAMPLE_SIZE) first.push(member);
    else if (last.push(member) > SAMPLE_SIZE) last.shift();
    this.#statuses[member.isActive === undefined ? 'unset' : member.isActive ? 'active' : 'inactive']++;
    const role = this.#roles.get(member.role);
    if (role !== undefined) role.people++;
    else if (this.#roles.size < MAX_ROLES) this.#roles.set(member.role, { people: 1 });
  }

  get totals(): Totals {
    return { ...this.#statuses, roles: new Map([...this.#roles].map(([role, { people }]) => [role, people])) };
  }
}
