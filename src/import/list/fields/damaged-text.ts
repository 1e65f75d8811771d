import { sendableText } from '../../../util/visible-text.ts';
import type { Damage } from '../../list-row.ts';

type Rule = readonly [pattern: RegExp, damage: Damage];

/** Texts that are no value of any field. */
const NO_VALUES: readonly Rule[] = [
  // In the language of the spreadsheet: `#BEZUG!`, `#¿NOMBRE?`. `#N/A` is `#NV` or `#N/D` in some; LibreOffice has `Err:502`.
  [/^(?:#(?:N\/[ABD]|NV|I\/T|GETTING_DATA|[^\s#]+[!?])|Err ?:5\d\d)$/iu, { issue: 'is a formula error, not a value' }],
  [/^##+$/, { issue: 'is not a value: the column was too narrow to show it (widen it, and export the list again)' }],
  // PowerShell and .NET write the name of a type, and JavaScript `[object Object]`.
  [
    /^(?:(?:System|Microsoft)(?:\.\w+)+(?:`\d+)?(?:\[.*\])?|\[object \w+\])$/,
    { issue: 'is the name of a type, not a value (export the values themselves)' },
  ],
  [/^=\s*[\p{L}.]+\(.*\)$/u, { issue: 'is a formula, not its result (save the list with the results)' }],
  [/^@\{.*\}$/, { issue: 'is an object of PowerShell, not a value (export one of its properties)' }],
  [/^Loading\.\.\.$/, { issue: 'is not a value: Google Sheets had not loaded it yet (export the list again)' }],
  [/^X'[\da-f]*'$/i, { issue: 'is how csvde writes a value in hexadecimal (export the list in another way)' }],
];

/** Quotation marks of any kind, as a part of a character class. */
const QUOTES = String.raw`"'\u0060\u00b4\u2018-\u201f\u2032\u2033\u00ab\u00bb\u2039\u203a\u300c-\u300f\uff02\uff07`;

/** A number that a spreadsheet has shortened: `1.08123E+20`. Without a sign, such as `12E45`, it is an ID. */
const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?E[+-]\d+$/i;

const SHORTENED: Damage = {
  issue: 'is a number that a spreadsheet has shortened (its digits are lost)',
  isShortened: true,
};

/** As tables in terminals and on web pages show a text that is too long for its column: `0a1b2c3d-4e5f…`. */
const CUT_OFF: Rule = [/…|\.\.$/, { issue: 'was cut off by a program (export the entire value)' }];

/** Matches how databases, Python, JavaScript, and pivot tables write that there is no value. */
const NOTHING = /^(?:null|n\/a|nan|nil|undefined|\\N|[<([](?:null|na|nan|nil|none|blank|undefined)[>)\]])$/i;
/** Matches the dates that MySQL, Go, and .NET write where there is none. */
const NO_DATE = /^(?:0000-00-00|0001-01-01T00:00:00)/;
/** Matches a dash, a question mark, or quotation marks that repeat the value above. */
const ONLY_MARKS = /^[\p{P}\p{Sc}\p{Sk}\p{Sm}]+$/u;

/** Texts that several people may have, or that say that there is no ID: none of them leads to a user ID in a second list. */
const NO_KEYS: readonly Rule[] = [
  [SCIENTIFIC, SHORTENED],
  [NOTHING, { issue: 'says that there is no ID' }],
  [/^none$/i, { issue: 'says that there is no ID' }],
  [NO_DATE, { issue: 'says that there is no date' }],
  [ONLY_MARKS, { issue: 'has no letter or digit, so it is not an ID' }],
  CUT_OFF,
];

/** Texts that are no role. A service that stores any text would add people with it. */
const NO_ROLES: readonly Rule[] = [
  [NOTHING, { issue: 'says that there is no role (write one, or translate it with --map-value)' }],
  [ONLY_MARKS, { issue: 'has no letter or digit, so it is not a role (write one, or translate it with --map-value)' }],
];

/** Texts that are no user ID. */
const NO_IDS: readonly Rule[] = [
  // As Java writes large numbers.
  [/^[+-]?\d[.,]\d+E\d+$/i, { issue: 'is a number that a program has written with an exponent (export it as text)' }],
  [/^[+-]?\d+[.,]0+$/, { issue: 'is an ID that a program has read as a number with a fraction' }],
  [/^[+-]?\d{1,3}(?:[,'’]\d{3})+$/, { issue: 'is a number whose digits a program has grouped (export it as text)' }],
  [new RegExp(`^[${QUOTES}].*[${QUOTES}]$`), { issue: 'has quotation marks around it (remove them)' }],
  [/^'/, { issue: 'begins with an apostrophe (remove it)' }],
  [/ /, { issue: 'contains a space, so it is not an ID' }],
  ...NO_KEYS,
];

/** Text without anything that a program has changed, unless it is short and stands for no ID, or was shortened. */
const ORDINARY_ID = /^[A-Za-z0-9][\w-]*$/;
/** The longest text that stands for no ID. */
const MAX_PLACEHOLDER = 'undefined'.length;

/** Matches every text that one of the rules may match. Most texts match none of them, and one pattern is faster than all. */
const MAY_BE_NO_VALUE = /^(?:#|=|Err ?:|System\.|Microsoft\.|\[object|@\{|X'|Loading)/i;
const MAY_BE_NO_ID = new RegExp(
  `^[^\\p{L}\\p{N}]|[ ${QUOTES}]|e[+-]\\d+$|[.,]\\d+e\\d+$|[.,]0+$|,\\d{3}$|^n|^undefined$|^000[01]-|…|\\.\\.$`,
  'iu',
);

/** Whether a text is an ID as most are, which one pattern tells. */
export function isOrdinaryId(text: string): boolean {
  return text.length > MAX_PLACEHOLDER && ORDINARY_ID.test(text) && !SCIENTIFIC.test(text);
}

/** Finds out whether a text is certainly no value. */
export function damageOfValue(text: string): Damage | undefined {
  return MAY_BE_NO_VALUE.test(text) ? damageBy(NO_VALUES, text) : undefined;
}

/** Finds out whether a text is certainly no user ID, as it was before a program has changed it. */
export function damageOfId(text: string): Damage | undefined {
  return MAY_BE_NO_ID.test(text) ? damageBy(NO_IDS, text) : undefined;
}

/** Finds out whether a text says that there is no role. */
export function damageOfRole(text: string): Damage | undefined {
  return damageBy(NO_ROLES, text);
}

/** Finds out whether a text that leads to a user ID, by a second list, may be that of several people, or of nobody. */
export function damageOfKey(text: string): Damage | undefined {
  return damageOfValue(text) ?? (MAY_BE_NO_ID.test(text) ? damageBy(NO_KEYS, text) : undefined);
}

function damageBy(rules: readonly Rule[], text: string): Damage | undefined {
  return rules.find(([pattern]) => pattern.test(text))?.[1];
}

/** Returns the text in a formula by which programs keep Excel from changing it: `="00123"` is `00123`. */
export function withoutFormula(text: string): string {
  return text.startsWith('="') && text.endsWith('"') && text.length > 2
    ? sendableText(text.slice(2, -1).replaceAll('""', '"'))
    : text;
}
