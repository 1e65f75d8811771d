import { addMembers } from '../../client/add-members.ts';
import type { BulkResponse } from '../../client/response-schemas.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { changeProfile } from '../../config/profiles.ts';
import { SETTINGS, type StoredValue } from '../../config/setting-table.ts';
import type { Settings } from '../../config/settings.ts';
import { isNearlyAlreadyMember, isStrictlyAlreadyMember, matchesPhrase } from '../../import/send/already-member.ts';
import { messageOfFailure } from '../../import/send/classify-error.ts';
import { confirmChange } from '../../output/prompt.ts';
import { EXIT, OrgadmError, UsageError, withHint } from '../../util/errors.ts';
import { canPrompt } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import type { Calibration } from '../schema/setup-output.ts';
import {
  addedBy,
  type CalibrationPlan,
  distinctPhrases,
  type Entries,
  errorTexts,
  malformedEntries,
  namesBaseOf,
  nonexistentIdLike,
  probeEntries,
  readProbeResponse,
} from './calibration.ts';

interface CalibrateOptions {
  /** User who is a member already. */
  member: string;
  role?: string;
  department?: string;
  yes?: boolean;
}

/**
 * Learns from a service what the interface leaves open about bulk requests (interface 4.2), and stores it in the profile,
 * unless the service added someone.
 *
 * @throws UsageError without a terminal to ask on, unless `yes` is set; what the service ends a request with
 */
export async function calibrate(options: CalibrateOptions, context: Context): Promise<Calibration> {
  const { member, role = 'member', department = 'none', yes = false } = options;
  const settings = await context.settings();
  const client = await context.service();
  const labelName = settings.wire.member.deviceMgmtLabelId;
  const plan = { member, unknownUser: nonexistentIdLike(member), role, department, labelName };
  await confirmRequests(plan, client.baseUrl, settings, yes, context);

  const added: Calibration['added'] = [];
  const send = (entries: Entries) => sendEntries(client, entries, added);
  let reply = await send(probeEntries(plan, true));
  const acceptsLabel =
    !(reply instanceof ServiceError) &&
    (added.length > 0 || !errorTexts(reply).some((message) => message.includes(labelName)));
  if (!acceptsLabel) reply = await send(probeEntries(plan, false));
  if (reply instanceof ServiceError) {
    const hint =
      'Nothing was learned. If a role or department is not accepted, pass others with --role and --department.';
    const message = `the service rejected both entries: ${messageOfFailure(reply)}`;
    throw withHint(reply, hint, { code: 'rejected', exitCode: EXIT.failure, message });
  }
  const names =
    added.length > 0
      ? { value: null, detail: 'not tried, because a member was added' }
      : await learnNamesBase(() => send(malformedEntries(plan)));
  const learned = describeResults(plan, reply, acceptsLabel, names);
  const profile = added.length > 0 ? null : await store(learned, settings, context);
  return { learned, added, profile };
}

/** A response, or the error for entries that the service rejects as invalid. */
type Reply = BulkResponse | ServiceError;

/** Sends entries, and adds those that the service adds to `added`. */
async function sendEntries(client: ServiceClient, entries: Entries, added: Calibration['added']): Promise<Reply> {
  try {
    const { response } = await addMembers(client, entries);
    added.push(...addedBy(response, entries.length));
    return response;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 400 || error.status === 422) return error;
    if (error.processed === 'no') throw error;
    const hint = 'The request may have been processed. Check that no one was added, then run the calibration again.';
    throw withHint(error, hint);
  }
}

type Result = Calibration['learned'][number];
type Learned = Pick<Result, 'value' | 'detail'>;

async function learnNamesBase(sendMalformed: () => Promise<Reply>): Promise<Learned> {
  try {
    const reply = await sendMalformed();
    if (!(reply instanceof ServiceError)) {
      return { value: null, detail: 'a malformed entry does not reject the entire request' };
    }
    const base = namesBaseOf(reply.messages);
    if (base === null) return { value: null, detail: 'the rejection does not name the malformed entry' };
    return { value: base, detail: `a rejected request names its entries from ${base}` };
  } catch (error) {
    // Keeps what the first request has shown.
    if (!(error instanceof OrgadmError)) throw error;
    return { value: null, detail: error.message };
  }
}

function describeResults(
  plan: CalibrationPlan,
  response: BulkResponse,
  acceptsLabel: boolean,
  names: Learned,
): Result[] {
  const { indexBase, indexBaseReason, memberMessage, unknownMessage } = readProbeResponse(plan, response);
  const { existing, unknown } = distinctPhrases({ memberMessage, unknownMessage }, plan);
  const label = `${plan.labelName} is ${acceptsLabel ? '' : 'not '}accepted`;
  const otherName = '; if it has another name: orgadm config set wire.member.deviceMgmtLabelId <name>';
  const base = indexBaseReason ?? `errors[].index counts from ${indexBase}`;
  const results: [Result['topic'], Result['value'], detail: string, Result['setting']][] = [
    ['error-index-base', indexBase, base, 'wire.member.errorIndexBase'],
    ['existing-message', existing, describeMessage(memberMessage, existing), 'wire.member.existing'],
    ['unknown-message', unknown, describeMessage(unknownMessage, unknown), 'wire.member.unknown'],
    ['names-base', names.value, names.detail, 'wire.member.namesBase'],
    ['device-label', acceptsLabel, acceptsLabel ? label : label + otherName, null],
  ];
  return results.map(([topic, value, detail, setting]) => ({ topic, value, detail, setting }));
}

const QUOTED_CHARACTERS = 200;

function describeMessage(message: string | null, phrase: string | null): string {
  if (message === null) return 'the service does not show it';
  const quoted = `"${message.slice(0, QUOTED_CHARACTERS)}"`;
  return phrase === null ? `${quoted}, which does not distinguish the two cases` : quoted;
}

/** Prints what will be sent, and asks whether to send it. */
async function confirmRequests(
  plan: CalibrationPlan,
  baseUrl: string,
  { sandbox, profile }: Settings,
  yes: boolean,
  { host, output }: Context,
): Promise<void> {
  const body = (entries: Entries) => JSON.stringify({ members: entries });
  const lines = [
    `Calibrating with ${baseUrl} (${sandbox === undefined ? `profile ${profile}` : 'sandbox'}):`,
    `  POST /v1/people/bulk ${body(probeEntries(plan, true))}`,
    `  if ${plan.labelName} is rejected: POST /v1/people/bulk ${body(probeEntries(plan, false))}`,
    `  POST /v1/people/bulk ${body(malformedEntries(plan))}`,
    `${plan.member} must be a member already, or is added. The other user does not exist.`,
  ];
  if (yes || sandbox !== undefined) return lines.forEach(output.note);
  if (!canPrompt(host)) {
    throw new UsageError(
      '--calibrate sends requests that could add people, and there is no terminal to ask on',
      'Add --yes if the user of --member is a member already.',
    );
  }
  // A question is shown with what it is about, also under --quiet.
  lines.forEach(output.trace);
  if (!(await confirmChange('Send these requests?', host))) throw new UsageError('not confirmed; nothing was sent');
}

/** Writes what was learned into the profile. Returns its name, or null if nothing was stored. */
async function store(
  learned: readonly Result[],
  { sandbox, profile, baseUrl }: Settings,
  { host, output, sources }: Context,
): Promise<string | null> {
  if (sandbox !== undefined) return null;
  const own = (await sources()).profile.values['base-url'];
  if (own !== undefined && SETTINGS['base-url'].read(own, 'base-url') !== baseUrl) {
    output.warn(`nothing was stored: profile ${profile} is for another service, ${String(own)}`);
    return null;
  }
  const known = learned.flatMap(({ setting, value }) => (setting === null || value === null ? [] : { setting, value }));
  if (known.length === 0) return null;
  await changeProfile(host, profile, (before) => ({
    ...before,
    ...Object.fromEntries(
      known.map(({ setting, value }) => [
        setting,
        typeof value === 'string' ? withPhrase(before[setting], value) : value,
      ]),
    ),
  }));
  const existing = learned.find(({ topic }) => topic === 'existing-message');
  if (typeof existing?.value === 'string' && !soundsLikeMember(existing.detail)) {
    output.hint(
      `Check that ${existing.detail} states that the user is already a member. If not: orgadm config unset wire.member.existing`,
    );
  }
  return profile;
}

function soundsLikeMember(message: string): boolean {
  const text = message.replace(/^"|"$/g, '');
  return isStrictlyAlreadyMember(text) || isNearlyAlreadyMember(text);
}

/** The phrases of a setting and the one that was learned, which may be among them. */
function withPhrase(stored: StoredValue | undefined, phrase: string): readonly string[] {
  const phrases = stored === undefined ? [] : [stored].flat().map(String);
  return phrases.some((known) => known === phrase || matchesPhrase(phrase, known)) ? phrases : [...phrases, phrase];
}
