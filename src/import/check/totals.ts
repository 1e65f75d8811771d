import type { NewMember } from '../new-member.ts';

/** A value of a status column. */
export interface StatusValue {
  /** The value as the list has it; `''` for a blank cell. */
  readonly value: string;
  readonly count: number;
  readonly isActive: boolean;
}

/** What orgadm would send: totals of the valid rows, and some of the people. */
export interface Totals {
  readonly rows: number;
  readonly invalid: number;
  readonly active: number;
  readonly inactive: number;
  /** People for whom the list does not say it. */
  readonly unspecified: number;
  /** Roles and departments with their counts, the most frequent first. */
  readonly roles: readonly (readonly [role: string, count: number])[];
  readonly departments: readonly (readonly [department: string, count: number])[];
  /** The values of each status column, the most frequent first. */
  readonly statuses: readonly { readonly column: string; readonly values: readonly StatusValue[] }[];
  /** The first two and the last two people. */
  readonly people: { readonly first: readonly NewMember[]; readonly last: readonly NewMember[] };
  readonly shortestId: string | undefined;
  readonly longestId: string | undefined;
}

/** People of each end of a list that are shown. */
const SHOWN_PEOPLE = 2;
/** Different values that a total counts. A list with more has something else in the column. */
export const MAX_COUNTED = 1000;

/** Counts values, up to a number of different ones. */
export class Counter {
  readonly #counts = new Map<string, number>();

  add(value: string): void {
    const count = this.#counts.get(value);
    if (count !== undefined || this.#counts.size < MAX_COUNTED) this.#counts.set(value, (count ?? 0) + 1);
  }

  get sorted(): [value: string, count: number][] {
    return [...this.#counts].sort(([, a], [, b]) => b - a);
  }
}

/** Counts people, and keeps some of them. */
export class PeopleCounter {
  invalid = 0;
  #valid = 0;
  readonly #activity = { active: 0, inactive: 0, unspecified: 0 };
  readonly #roles = new Counter();
  readonly #departments = new Counter();
  readonly #first: NewMember[] = [];
  readonly #last: NewMember[] = [];
  #shortest: string | undefined;
  #longest: string | undefined;

  add(member: NewMember): void {
    const { userId, role, department = '', isActive } = member;
    this.#valid++;
    this.#activity[isActive === undefined ? 'unspecified' : isActive ? 'active' : 'inactive']++;
    this.#roles.add(role);
    this.#departments.add(department);
    if (this.#first.length < SHOWN_PEOPLE) this.#first.push(member);
    else if (this.#last.push(member) > SHOWN_PEOPLE) this.#last.shift();
    if (this.#shortest === undefined || userId.length < this.#shortest.length) this.#shortest = userId;
    if (this.#longest === undefined || userId.length > this.#longest.length) this.#longest = userId;
  }

  /** @param statuses the counts of the columns that say who is active */
  totals(statuses: readonly { readonly total: Totals['statuses'][number] }[]): Totals {
    return {
      rows: this.#valid + this.invalid,
      invalid: this.invalid,
      ...this.#activity,
      roles: this.#roles.sorted,
      departments: this.#departments.sorted,
      statuses: statuses.map(({ total }) => total),
      people: { first: this.#first, last: this.#last },
      shortestId: this.#shortest,
      longestId: this.#longest,
    };
  }
}
