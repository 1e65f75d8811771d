import { OrgadmError } from '../../util/errors.ts';
import type { Selector } from './finding-selector.ts';

/** Words of a service that does not know the parameter, or misses one that it calls otherwise. */
const ABOUT_A_PARAMETER =
  /param|query|propert|field|filter|selector|argument|unknown|unexpected|unrecogni[sz]ed|unsupported|required|missing|must be (given|provided|set|specified)|should not (be empty|exist)|not allowed|no .* given/i;

/** The same findings; where the service refuses to list them, told what may mend that. */
export async function* explainRejectedSelector<Findings>(
  findings: AsyncIterable<Findings>,
  selector: Selector | undefined,
  wireName: string | undefined,
): AsyncGenerator<Findings> {
  try {
    yield* findings;
  } catch (error) {
    throw explainedRejection(error, selector, wireName);
  }
}

/**
 * A service that refuses findings (400, 422) with words about a parameter may call the parameter otherwise: the
 * interface does not fix its name (4.4). Adds to the hint what mends that.
 */
function explainedRejection(error: unknown, selector: Selector | undefined, wireName: string | undefined): unknown {
  if (!(error instanceof OrgadmError) || (error.status !== 400 && error.status !== 422)) return error;
  if (!ABOUT_A_PARAMETER.test(error.message)) return error;
  const remedy =
    selector === undefined
      ? 'This service seems to want a selector: give --task, --evidence-submission, --evidence-form-type or --scope.'
      : `The parameter was sent as ${wireName}. If this service calls it otherwise, tell the name: ` +
        `orgadm config set wire.findings.${selector.kind} <name>`;
  return new OrgadmError(error.code, error.exitCode, error.message, {
    hint: [error.hint, remedy].filter(Boolean).join(' '),
    status: error.status,
    requestId: error.requestId,
    cause: error,
  });
}
