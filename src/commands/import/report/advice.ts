import type { FieldNames } from '../../../config/target.ts';
import { mayBeAlreadyMember } from '../../../import/send/response/already-member.ts';
import { cleanLine, quoteForShell } from '../../../output/sanitize.ts';
import type { ListedRow } from './report.ts';

/** Messages about a field that the service does not accept. */
const UNKNOWN_FIELD = /should not exist|not allowed|unknown|unexpected|unrecogni[sz]ed|not permitted|additional/i;

/** Messages that name the accepted values, one of which is often the role `member`. */
const ACCEPTED_VALUES = /\bmust be\b|\bone of\b/i;

/** Hints for fields that the service rejects in every row. */
const OPTION_FOR_FIELD: readonly (readonly [message: RegExp, hint: string])[] = [
  [
    /\brole\b/i,
    "If the service has other names for its roles, translate yours: --map-value 'role:<your value>=<accepted value>'",
  ],
  [
    /\bdepartment\b/i,
    "If the service has other names for its departments, translate yours with --map-value 'department:<your value>=<accepted value>'. To leave them out, use --omit department",
  ],
  [
    /\buser(_?id)?\b/i,
    'If the service knows these people by other IDs, look them up in a second list: --lookup userId=<file>:<column>=<column>',
  ],
];
const USER_ID = 2;

/** Finds the messages of a report that a setting or an option would have prevented. */
export class Advice {
  readonly #names: FieldNames['member'];
  /** The end of a command that changes a setting. */
  readonly #inProfile: string;
  #label: string | undefined;
  #existing: { message: string; userId: string | null } | undefined;
  /** The fields that the service rejected, as indexes of `OPTION_FOR_FIELD`. */
  readonly #rejected = new Set<number>();
  /** The number of rows that failed because of these fields. */
  #explained = 0;

  /** @param profile see `profileOption` */
  constructor(names: FieldNames['member'], profile: string) {
    this.#names = names;
    this.#inProfile = profile;
  }

  /** Adds a row of the report. */
  add({ row: { userId }, outcome }: ListedRow): void {
    if (outcome.state !== 'failed') return;
    const error = outcome.message;
    const fields = rejectedFields(phraseOf(error, userId));
    if (fields.length > 0) this.#explained++;
    for (const field of fields) this.#rejected.add(field);
    const { deviceMgmtLabelId } = this.#names;
    if (error.includes(deviceMgmtLabelId) && UNKNOWN_FIELD.test(error)) this.#label ??= error;
    // The ID of the user may contain such a word, too.
    else if (mayBeAlreadyMember(phraseOf(error, userId)) && !ACCEPTED_VALUES.test(error))
      this.#existing ??= { message: error, userId };
  }

  /**
   * Returns the hints, one for each setting or option.
   *
   * @param sent number of rows that the service accepted or rejected
   */
  hints(sent: number): string[] {
    const { deviceMgmtLabelId, existing } = this.#names;
    const hints: string[] = [];
    if (this.#label !== undefined)
      hints.push(
        `The service does not know ${deviceMgmtLabelId}. If it has another name for the label, set it: orgadm config set wire.member.deviceMgmtLabelId <name>${this.#inProfile}`,
      );
    if (this.#existing !== undefined) {
      const { message, userId } = this.#existing;
      // The command replaces the entire list.
      const phrases = [...existing, phraseOf(message, userId)].map(quoteForShell).join(' ');
      hints.push(
        `If "${message}" means that the person is already a member, accept it: orgadm config set wire.member.existing ${phrases}${this.#inProfile}`,
      );
    }
    if (hints.length > 0 || sent < 2 || this.#explained < sent) return hints;
    return OPTION_FOR_FIELD.flatMap(([, hint], at) => (this.#rejected.has(at) ? hint : []));
  }
}

/** Returns the fields that a message rejects. One about a role or a department may name the user, too. */
function rejectedFields(message: string): number[] {
  const fields = [...OPTION_FOR_FIELD.keys()].filter((at) => OPTION_FOR_FIELD[at]?.[0].test(message));
  return fields.length > 1 ? fields.filter((at) => at !== USER_ID) : fields;
}

/** Returns a message as a phrase of the setting: `*` stands for the user. */
function phraseOf(message: string, userId: string | null): string {
  const masked = cleanLine(message).replaceAll(/\S+@[\w.-]*\w/g, '*');
  return userId === null || userId === '' ? masked : masked.replaceAll(userId, '*');
}
