import {
  choiceOf,
  countOption,
  defaultValues,
  type ParsedOptions,
  parseOptionList,
  renderOptionList,
  textOption,
} from './option-list.ts';

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
