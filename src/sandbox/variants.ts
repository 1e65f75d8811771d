import {
  choice,
  type Option,
  type OptionValues,
  parseOptionList,
  renderOptionList,
  usualValues,
} from './option-list.ts';

const word = (takes: string): Option<string | undefined> => ({
  usual: undefined,
  takes,
  read: (text) => (/^[A-Za-z][\w-]{0,63}$/.test(text) ? text : undefined),
});

/** Every point on which services differ, with what this one does unless told: a new point is a line here. */
const POINTS = {
  /** The number of the first entry in `errors[].index`. */
  'index-base': choice('0', '1'),
  'batch-limit': {
    usual: 1000,
    takes: 'a number of entries from 1 on',
    read: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
  } as Option<number>,
  'batch-limit-status': choice('400', '413', '422'),
  /** Whether the refusal of a large request tells the number that is allowed. */
  'batch-limit-words': choice('number', 'vague'),
  /** What one malformed entry does: refuse the whole request, or itself alone. */
  'entry-refusal': choice('request', 'entry'),
  /** What an entry's device label is called; `deviceMgmtLabelId` is then an unknown property. */
  'label-name': word('another name of the device label'),
  department: choice('optional', 'required'),
  /** What an element of `errors` names its entry by. */
  'error-names': choice('both', 'userId', 'index', 'neither'),
  /** How it says that somebody is a member already; `other` is a way that the tool does not know. */
  'member-words': choice('usual', 'exists', 'code', 'other'),
  created: choice('in-order', 'reversed', 'twice'),
  summary: choice('right', 'absent', 'wrong'),
  'auth-type': choice('api-key', 'session', 'absent'),
  'authenticated-user': choice('yes', 'no'),
  /** The status of a write that was done; 204 has no body. */
  'success-status': choice<string>('default', '200', '201', '204', '207'),
  'echo-obligations': choice('no', 'yes'),
  misconfigured: choice('boolean', 'object', 'other-object', 'null', 'absent'),
  'cname-target': choice('dot', 'plain', 'absent'),
  /** The key that holds the list of findings, dotted where it is a key of an inner object; without it the list is bare. */
  envelope: {
    usual: undefined,
    takes: 'the key that holds the list, such as data or data.items',
    read: (text) => (/^[A-Za-z_][\w-]{0,63}(\.[A-Za-z_][\w-]{0,63})?$/.test(text) ? text : undefined),
  } as Option<string | undefined>,
  /** Findings in a page, of which only the first is given; the total stands beside the list, or in a header. */
  'page-size': {
    usual: undefined,
    takes: 'a number of findings from 1 on',
    read: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
  } as Option<number | undefined>,
  /** What the parameter taskId is called. */
  'task-name': word('another name of the parameter taskId'),
  'unknown-parameter': choice('ignore', 'refuse'),
  'no-selector': choice('refuse', 'all'),
  'unknown-task': choice('refuse', 'empty'),
  'ignore-scope': choice('no', 'yes'),
  'error-shape': choice('nest', 'problem', 'nested', 'string', 'html', 'empty'),
};

/** How this service answers where the interface leaves it open. */
export type Variants = OptionValues<typeof POINTS>;
export type ErrorShape = Variants['error-shape'];

/** What most services do. */
export const USUAL_VARIANTS: Variants = usualValues(POINTS);

/** Every point and what it takes, the usual first, for help. */
export const VARIANT_HELP = renderOptionList(POINTS);

/**
 * Reads `index-base=1,batch-limit=100,envelope=data`.
 * @throws UsageError naming the part that is wrong, and what is allowed.
 */
export function parseVariants(text: string): Variants {
  return parseOptionList(text, POINTS, 'variant');
}

/** The status of a write that was done. */
export function writeStatus(variants: Variants, usual: 200 | 201): number {
  const status = variants['success-status'];
  return status === 'default' ? usual : Number(status);
}
