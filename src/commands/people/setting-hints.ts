import type { FieldNames } from '../../config/connection.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import { isNearlyAlreadyMember, matchesPhrase } from '../../import/send/already-member.ts';
import { NOT_TRIED_ALONE } from '../../import/send/row-messages.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { quoteForShell } from '../../util/shell-quote.ts';

const QUOTED_CHARACTERS = 200;

/** Messages about a field that the service does not accept. */
const UNKNOWN_FIELD = /should not exist|not allowed|unknown|unexpected|unrecogni[sz]ed|not permitted|additional/i;

/** Finds the messages in a report that a setting of the profile would have prevented. */
export class SettingHints {
  readonly #labelName: string;
  readonly #existingPhrases: readonly string[];
  readonly #unknownPhrases: readonly string[];
  #label: string | undefined;
  #existing: string | undefined;

  constructor({
    deviceMgmtLabelId,
    existing,
    unknown,
  }: Pick<FieldNames['member'], 'deviceMgmtLabelId' | 'existing' | 'unknown'>) {
    this.#labelName = deviceMgmtLabelId;
    this.#existingPhrases = existing;
    this.#unknownPhrases = unknown;
  }

  add(state: RowState, message: string | null): void {
    if (message === null || (state !== 'failed' && state !== 'unknown')) return;
    // It says why the request was rejected, possibly for another of its rows.
    if (message.startsWith(NOT_TRIED_ALONE)) return;
    if (message.includes(this.#labelName) && UNKNOWN_FIELD.test(message)) this.#label ??= message;
    else if (isNearlyAlreadyMember(message) && !this.#unknownPhrases.some((phrase) => matchesPhrase(message, phrase)))
      this.#existing ??= message;
  }

  /** Returns one hint for each setting. */
  hints(): string[] {
    const found: string[] = [];
    if (this.#label !== undefined) {
      found.push(
        `The service does not know ${this.#labelName}. If it has another name for the label, set it: ` +
          'orgadm config set wire.member.deviceMgmtLabelId <name>',
      );
    }
    if (this.#existing !== undefined) {
      found.push(
        `If "${cleanLine(this.#existing).slice(0, QUOTED_CHARACTERS)}" means that the user is already a member, add a phrase that all such messages contain: ` +
          // The command replaces the whole list.
          `orgadm config set wire.member.existing ${[...this.#existingPhrases.map(quoteForShell), '"<phrase>"'].join(' ')}`,
      );
    }
    return found;
  }
}
