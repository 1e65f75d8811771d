import {
  choiceOf,
  defaultValues,
  type FaultOption,
  type ParsedOptions,
  parseOptionList,
  renderOptionList,
} from './option-list.ts';

const nameOption = (expects: string): FaultOption<string | undefined> => ({
  default: undefined,
  expects,
  parse: (text) => (/^[A-Za-z][\w-]{0,63}$/.test(text) ? text : undefined),
});

/** Every point on which services differ, with what this one does unless told: a new point is a line here. */
const VARIANT_OPTIONS = {
  /** The number of the first entry in `errors[].index`. */
  'index-base': choiceOf('0', '1'),
  'batch-limit': {
    default: 1000,
    expects: 'a number of entries from 1 on',
    parse: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
  } as FaultOption<number>,
  'batch-limit-status': choiceOf('400', '413', '422'),
  /** Whether the refusal of a large request tells the number that is allowed. */
  'batch-limit-words': choiceOf('number', 'vague'),
  /** What one malformed entry does: refuse the whole request, or itself alone. */
  'entry-refusal': choiceOf('request', 'entry'),
  /** What an entry's device label is called; `deviceMgmtLabelId` is then an unknown property. */
  'label-name': nameOption('another name of the device label'),
  department: choiceOf('optional', 'required'),
  /** What an element of `errors` names its entry by. */
  'error-names': choiceOf('both', 'userId', 'index', 'neither'),
  /** How it says that somebody is a member already; `other` is a way that the tool does not know. */
  'member-words': choiceOf('usual', 'exists', 'code', 'other'),
  created: choiceOf('in-order', 'reversed', 'twice'),
  summary: choiceOf('right', 'absent', 'wrong'),
  'auth-type': choiceOf('api-key', 'session', 'absent'),
  'authenticated-user': choiceOf('yes', 'no'),
  /** The status of a write that was done; 204 has no body. */
  'success-status': choiceOf<string>('default', '200', '201', '204', '207'),
  'echo-obligations': choiceOf('no', 'yes'),
  misconfigured: choiceOf('boolean', 'object', 'other-object', 'null', 'absent'),
  'cname-target': choiceOf('dot', 'plain', 'absent'),
  /** The key that holds the list of findings, dotted where it is a key of an inner object; without it the list is bare. */
  envelope: {
    default: undefined,
    expects: 'the key that holds the list, such as data or data.items',
    parse: (text) => (/^[A-Za-z_][\w-]{0,63}(\.[A-Za-z_][\w-]{0,63})?$/.test(text) ? text : undefined),
  } as FaultOption<string | undefined>,
  /** Findings in a page, of which only the first is given; the total stands beside the list, or in a header. */
  'page-size': {
    default: undefined,
    expects: 'a number of findings from 1 on',
    parse: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
  } as FaultOption<number | undefined>,
  /** What the parameter taskId is called. */
  'task-name': nameOption('another name of the parameter taskId'),
  'unknown-parameter': choiceOf('ignore', 'refuse'),
  'no-selector': choiceOf('refuse', 'all'),
  'unknown-task': choiceOf('refuse', 'empty'),
  'ignore-scope': choiceOf('no', 'yes'),
  'error-shape': choiceOf('nest', 'problem', 'nested', 'string', 'html', 'empty'),
};

/** How this service answers where the interface leaves it open. */
export type Variants = ParsedOptions<typeof VARIANT_OPTIONS>;
export type ErrorShape = Variants['error-shape'];

/** What most services do. */
export const DEFAULT_VARIANTS: Variants = defaultValues(VARIANT_OPTIONS);

/** Every point and what it takes, the usual first, for help. */
export const VARIANT_HELP = renderOptionList(VARIANT_OPTIONS);

/**
 * Reads `index-base=1,batch-limit=100,envelope=data`.
 * @throws UsageError naming the part that is wrong, and what is allowed.
 */
export function parseVariants(text: string): Variants {
  return parseOptionList(text, VARIANT_OPTIONS, 'variant');
}

/** The status of a write that was done. */
export function writeStatus(variants: Variants, defaultStatus: 200 | 201): number {
  const status = variants['success-status'];
  return status === 'default' ? defaultStatus : Number(status);
}
