import { learnShape, SCALAR, type ShapeRules } from '../json/shape.ts';
import type { Member } from './bulk-rows.ts';

/** The fields of a member (interface 2.2) that are read; without the first it cannot be. */
const USER = '"userId"';
const ORGANIZATION = '"organizationId"';

/** An identifier that needs no decoding. */
const IDENTIFIER = '"([^"\\\\\\x00-\\x1f\\x7f-\\xff]+)"';
const SPACE = '[ \\t\\n\\r]*';
/** What follows a member: another one, of which a character has to be there, or, in a group, the end of the array. */
const AFTER = `${SPACE}(?:,${SPACE}(?=[^ \\t\\n\\r])|(\\]))`;

const RULES: ShapeRules = {
  spaced: true,
  key: /^"[^"\\]*"$/,
  scalar: () => SCALAR,
  wants: (key) => (key === USER || key === ORGANIZATION) && IDENTIFIER,
};

/** A member that was read. */
interface FoundMember {
  row: Member;
  /** The offset after it and what follows it. */
  end: number;
  isLast: boolean;
}

/** Reads members of one shape. */
export class MemberPattern {
  readonly #pattern: RegExp;
  /** The numbers of the groups that hold the identifiers, and of the one that tells the end. */
  readonly #user: number;
  readonly #organization: number;
  readonly #last: number;

  private constructor(pattern: string, groups: readonly string[]) {
    this.#pattern = new RegExp(pattern + AFTER, 'y');
    this.#user = groups.indexOf(USER) + 1;
    this.#organization = groups.indexOf(ORGANIZATION) + 1;
    this.#last = groups.length + 1;
  }

  /** Of the member that begins at `at`; undefined where there is none, or where it must be read the long way. */
  static learn(text: string, at: number): MemberPattern | undefined {
    const shape = learnShape(text, at, RULES);
    return shape?.groups.includes(USER) ? new MemberPattern(shape.pattern, shape.groups) : undefined;
  }

  /** The member that begins at `at`; undefined where none of this shape does. */
  read(text: string, at: number): FoundMember | undefined {
    const pattern = this.#pattern;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const organizationId = this.#organization === 0 ? undefined : match[this.#organization];
    return {
      row: { userId: match[this.#user], organizationId },
      end: pattern.lastIndex,
      isLast: match[this.#last] !== undefined,
    };
  }
}
