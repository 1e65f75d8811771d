import { UsageError } from '../util/errors.ts';
import { LIMIT_HEADERS, type LimitRule, parseLimitRule } from './rate-limit.ts';

/** One name of a `name=value,name=value` list: its default and how its value is parsed. */
interface FaultOption<T> {
  readonly default: T;
  /** Completes "requires ..." in an error. */
  readonly expects: string;
  /** Returns the value, or undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

type OptionTable = Readonly<Record<string, FaultOption<unknown>>>;
type ParsedOptions<T extends OptionTable> = { readonly [K in keyof T]: T[K]['default'] };

function option<T>(defaultValue: T, expects: string, parse: FaultOption<T>['parse']): FaultOption<T> {
  return { default: defaultValue, expects, parse };
}

/** Creates an option with a fixed set of values. */
function choiceOf<const T extends string>(defaultValue: T, ...others: T[]): FaultOption<T> {
  const values = [defaultValue, ...others];
  return option(defaultValue, values.join(', '), (text) => values.find((value) => value === text));
}

/** Creates an option without a default, whose value is any text that matches. */
function textOption(pattern: RegExp, expects: string): FaultOption<string | undefined> {
  return option(undefined, expects, (text) => (pattern.test(text) ? text : undefined));
}

/** Creates an option for a number from 1 to 999,999. */
function countOption<T extends number | undefined>(defaultValue: T, noun: string): FaultOption<T | number> {
  const parse = (text: string) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined);
  return option<T | number>(defaultValue, `a number of ${noun}, at least 1`, parse);
}

/** Returns the default of every option. */
function defaultValues<T extends OptionTable>(table: T): ParsedOptions<T> {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [name, option.default])) as ParsedOptions<T>;
}

/**
 * Parses `name=value,name=value`.
 *
 * @param noun what a part is called in errors
 * @throws UsageError naming the invalid part, and the names or values allowed there
 */
function parseOptionList<T extends OptionTable>(text: string, table: T, noun: string): ParsedOptions<T> {
  const values = new Map<string, unknown>();
  const allowed = `Allowed: ${Object.keys(table).join(', ')}.`;
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [, name = part, value] = /^(.*?)\s*=\s*(.*)$/s.exec(part) ?? [];
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!option) throw new UsageError(`"${part}" is not a ${noun}`, allowed);
    if (values.has(name)) throw new UsageError(`the ${noun} "${name}" is repeated`, 'Specify it only once.');
    const parsed = value === undefined ? undefined : option.parse(value);
    if (parsed === undefined) {
      throw new UsageError(`"${part}" is not a valid ${noun}`, `${name} requires ${option.expects}. ${allowed}`);
    }
    values.set(name, parsed);
  }
  return { ...defaultValues(table), ...Object.fromEntries(values) };
}

/**
 * Renders the options for help, those with the same values together, in lines of at most 80 columns: the first one indented
 * by two, the others by six.
 */
function renderOptionList(table: OptionTable): string {
  const byExpectation = new Map<string, string[]>();
  for (const [name, { expects }] of Object.entries(table)) {
    byExpectation.set(expects, [...(byExpectation.get(expects) ?? []), name]);
  }
  const lines = [...byExpectation].map(([expects, names]) => `${names.join(', ')}: ${expects}`);
  const wrapped = lines.map((line) => line.replace(/(.{1,74})(?: |$)/g, '      $1\n').slice(4));
  return wrapped.join('').trimEnd();
}

/** How a request fails: what the client sees, and whether the change was made (`after`) or not (`before`). */
export interface InjectedFault {
  readonly when: 'before' | 'after';
  readonly effect: 'reset' | 'hang' | 'truncated' | 'html' | 500 | 502 | 503 | 504;
}

/** At most one of these applies to a request, so their probabilities add up to 1 at most. */
export const INJECTED_FAULTS = {
  reset: { when: 'before', effect: 'reset' },
  'reset-after': { when: 'after', effect: 'reset' },
  hang: { when: 'before', effect: 'hang' },
  'hang-after': { when: 'after', effect: 'hang' },
  error500: { when: 'before', effect: 500 },
  'error500-after': { when: 'after', effect: 500 },
  error502: { when: 'before', effect: 502 },
  error503: { when: 'before', effect: 503 },
  error504: { when: 'before', effect: 504 },
  'error504-after': { when: 'after', effect: 504 },
  truncate: { when: 'after', effect: 'truncated' },
  html: { when: 'after', effect: 'html' },
} as const satisfies Record<string, InjectedFault>;

/** Faults in the lists of a bulk response; each is drawn independently of the others. */
export const ROW_FAULTS = ['missing-rows', 'double-rows', 'no-user-id', 'shuffle'] as const;

export type FaultName = keyof typeof INJECTED_FAULTS;
export type RowFault = (typeof ROW_FAULTS)[number];

const FAULT_NAMES = Object.keys(INJECTED_FAULTS) as FaultName[];

const MAX_FAULT_DURATION_MS = 600_000;

/** Parses `200ms`, `1.5s` or `2m`; returns milliseconds, or undefined for anything else and for more than 10 minutes. */
function parseFaultDuration(text: string): number | undefined {
  const [, value, unit] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  if (value === undefined) return undefined;
  const ms = Number(value) * (unit === 'm' ? 60_000 : unit === 's' ? 1000 : 1);
  return ms <= MAX_FAULT_DURATION_MS ? ms : undefined;
}

/** Parses one duration, or a range such as `50ms-2s`; returns undefined for anything else. */
function parseDurationRange(text: string): { fromMs: number; toMs: number } | undefined {
  const [first = '', second = first, ...rest] = text.split('-');
  const fromMs = parseFaultDuration(first);
  const toMs = parseFaultDuration(second);
  if (rest.length > 0 || fromMs === undefined || toMs === undefined || fromMs > toMs) return undefined;
  return { fromMs, toMs };
}

const probability = option(0, 'a probability from 0 to 1, such as 0.05', (text) =>
  /^\d*\.?\d+$/.test(text) && Number(text) <= 1 ? Number(text) : undefined,
);

const FAULT_OPTIONS = {
  ...(Object.fromEntries([...FAULT_NAMES, ...ROW_FAULTS].map((name) => [name, probability])) as Record<
    FaultName | RowFault,
    FaultOption<number>
  >),
  /** The time between reading a request and executing it. */
  latency: option({ fromMs: 0, toMs: 0 }, 'a duration such as 200ms, or a range such as 50ms-2s', parseDurationRange),
  /** The time that sending a body takes. */
  slow: option(0, 'a duration such as 2s', parseFaultDuration),
  limit: option<LimitRule | undefined>(
    undefined,
    'requests per period, such as 100/min, 30/10s or 5/s; with :bucket, a token bucket that refills steadily instead of a ' +
      `window; then how it is announced (${Object.keys(LIMIT_HEADERS).join(', ')}), as in 100/min:bucket:none`,
    parseLimitRule,
  ),
  seed: option<number | undefined>(undefined, 'an integer', (text) =>
    /^\d{1,9}$/.test(text) ? Number(text) : undefined,
  ),
};

/** The probability of each fault, the delays and the rate limit. */
export type Faults = ParsedOptions<typeof FAULT_OPTIONS>;

export const NO_FAULTS: Faults = defaultValues(FAULT_OPTIONS);

/** Every fault with the values it accepts, for help. */
export const FAULT_HELP = renderOptionList(FAULT_OPTIONS);

/**
 * Parses `reset=0.1,error500=0.05,limit=100/min,latency=50ms-2s,seed=7`.
 *
 * @throws UsageError naming the invalid part and what is allowed
 */
export function parseFaults(text: string): Faults {
  const faults = parseOptionList(text, FAULT_OPTIONS, 'fault');
  const total = FAULT_NAMES.reduce((sum, name) => sum + faults[name], 0);
  if (total > 1 + Number.EPSILON * FAULT_NAMES.length) {
    throw new UsageError(
      `the probabilities of ${FAULT_NAMES.filter((name) => faults[name] > 0).join(', ')} add up to more than 1`,
      'At most one of them applies to a request. Use lower values.',
    );
  }
  return faults;
}

/** Faults to inject into one request. */
export interface FaultPlan {
  readonly fault: FaultName | undefined;
  readonly latencyMs: number;
  readonly rowFaults: ReadonlySet<RowFault>;
  /** Returns the next number of this request's own sequence, from 0 to below 1. */
  random(): number;
}

/**
 * Plans the faults of the n-th request. The plan depends on seed and number only, so a run can be repeated however its
 * requests overlap.
 */
export function planFaults(faults: Faults, seed: number, requestNumber: number): FaultPlan {
  const random = createRandom(seed + Math.imul(requestNumber, 0x9e3779b1));
  const { fromMs, toMs } = faults.latency;
  const latencyMs = fromMs + random() * (toMs - fromMs);
  const fault = pickFault(faults, random());
  const rowFaults = new Set(ROW_FAULTS.filter((name) => random() < faults[name]));
  return { fault, latencyMs, rowFaults, random };
}

function pickFault(faults: Faults, draw: number): FaultName | undefined {
  let upTo = 0;
  return FAULT_NAMES.find((name) => {
    upTo += faults[name];
    return draw < upTo;
  });
}

/** Creates a mulberry32 generator. */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NAME = /^[A-Za-z][\w-]{0,63}$/;
const DOTTED_KEY = /^[A-Za-z_][\w-]{0,63}(\.[A-Za-z_][\w-]{0,63})?$/;

/** Every behavior in which services differ. The default comes first. */
const VARIANT_OPTIONS = {
  /** The number of the first entry in `errors[].index`. */
  'index-base': choiceOf('0', '1'),
  'batch-limit': countOption<number>(1000, 'entries'),
  'batch-limit-status': choiceOf('400', '413', '422'),
  /** Whether the message about a batch that is too large contains the limit. */
  'batch-limit-message': choiceOf('number', 'vague'),
  /** What a malformed entry causes to be rejected: the entire request, or the entry alone. */
  'entry-rejection': choiceOf('request', 'entry'),
  /** The name of an entry's device label; `deviceMgmtLabelId` is then an unknown property. */
  'label-name': textOption(NAME, 'another name of the device label'),
  department: choiceOf('optional', 'required'),
  /** The fields by which an element of `errors` identifies its entry. */
  'error-names': choiceOf('both', 'userId', 'index', 'neither'),
  /** The message for an existing member; the tool does not recognize `other`. */
  'member-message': choiceOf('default', 'exists', 'code', 'other'),
  created: choiceOf('in-order', 'reversed', 'twice'),
  summary: choiceOf('correct', 'absent', 'wrong'),
  'auth-type': choiceOf('api-key', 'session', 'absent'),
  'authenticated-user': choiceOf('yes', 'no'),
  /** The status of a successful write; 204 has no body. */
  'success-status': choiceOf<string>('default', '200', '201', '204', '207'),
  'echo-obligations': choiceOf('no', 'yes'),
  misconfigured: choiceOf('object', 'boolean', 'other-object', 'null', 'absent'),
  'cname-target': choiceOf('dot', 'plain', 'absent'),
  /** The response for an unknown domain: a 404, or the plain 500 of some services. */
  'unknown-domain': choiceOf('not-found', 'error'),
  /** The key of the findings, with a dot if it is nested; without it, the response is an array. */
  envelope: textOption(DOTTED_KEY, 'the key of the findings, such as data or data.items'),
  /** Findings in a page. Only the first page is returned, with the total in the envelope or in a header. */
  'page-size': countOption(undefined, 'findings'),
  /** The name of the parameter taskId. */
  'task-name': textOption(NAME, 'another name of the parameter taskId'),
  'unknown-parameter': choiceOf('ignore', 'reject'),
  'no-selector': choiceOf('all', 'reject'),
  'unknown-task': choiceOf('reject', 'empty'),
  'ignore-scope': choiceOf('no', 'yes'),
  'error-shape': choiceOf('nest', 'problem', 'nested', 'string', 'html', 'empty'),
};

/** The behavior of the sandbox if the interface leaves it open. */
export type Variants = ParsedOptions<typeof VARIANT_OPTIONS>;
export type ErrorShape = Variants['error-shape'];

export const DEFAULT_VARIANTS: Variants = defaultValues(VARIANT_OPTIONS);

/** Every behavior with its values, the default first, for help. */
export const VARIANT_HELP = renderOptionList(VARIANT_OPTIONS);

/**
 * Parses `index-base=1,batch-limit=100,envelope=data`.
 *
 * @throws UsageError naming the invalid part and what is allowed
 */
export function parseVariants(text: string): Variants {
  return parseOptionList(text, VARIANT_OPTIONS, 'variant');
}

/** Returns the status of a successful write. */
export function writeStatus(variants: Variants, defaultStatus: 200 | 201): number {
  const status = variants['success-status'];
  return status === 'default' ? defaultStatus : Number(status);
}
