import { addMembers } from '../../client/add-members.ts';
import type { BulkResponse } from '../../client/response-schemas.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { changeProfile, type Profile } from '../../config/profiles.ts';
import { SETTINGS, type SettingName, type StoredValue } from '../../config/setting-table.ts';
import type { Settings } from '../../config/settings.ts';
import { isNearlyAlreadyMember, isStrictlyAlreadyMember, matchesPhrase } from '../../import/send/already-member.ts';
import { messageOfFailure } from '../../import/send/classify-error.ts';
import { confirmChange } from '../../output/prompt.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { EXIT, OrgadmError, UsageError, withHint } from '../../util/errors.ts';
import { canPrompt } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import {
  type AddedMember,
  addedBy,
  type CALIBRATION_TOPICS,
  type CalibrationPlan,
  distinctPhrases,
  type Entries,
  errorTexts,
  isAboutLabel,
  malformedEntries,
  namesBaseOf,
  nonexistentIdLike,
  probeEntries,
  readProbeResponse,
} from './calibration.ts';

export interface CalibrateOptions {
  /** User who is a member already. */
  member: string;
  role: string;
  department: string;
  yes: boolean;
}

export interface CalibrationResult {
  topic: (typeof CALIBRATION_TOPICS)[number];
  /** What was learned; null for what the service leaves open. */
  value: string | number | boolean | null;
  detail: string;
  /** The setting that holds it; null if there is no such setting. */
  setting: SettingName | null;
}

export interface Calibration {
  learned: CalibrationResult[];
  /** Members that the service added although it should have rejected them. */
  added: AddedMember[];
  /** The profile that holds what was learned; null if nothing was stored. */
  profile: string | null;
}

/**
 * Learns from a service what the interface leaves open about bulk requests (interface 4.2), and stores it in the profile.
 *
 * @throws UsageError without a terminal to ask on, unless `yes` is set; what the service ends a request with
 */
export async function calibrate(options: CalibrateOptions, context: Context): Promise<Calibration> {
  const settings = await context.settings();
  const client = await context.service();
  const { member, role, department } = options;
  const labelName = settings.wire.member.deviceMgmtLabelId;
  const plan = { member, unknownUser: nonexistentIdLike(member), role, department, labelName };
  await confirmRequests(plan, client, settings, options.yes, context);

  const added: AddedMember[] = [];
  const send = async (entries: Entries): Promise<Reply> => {
    const reply = await post(client, entries);
    if (reply.response !== undefined) added.push(...addedBy(reply.response, entries.length));
    return reply;
  };
  const { response, acceptsLabel } = await sendProbe(plan, send, () => added.length > 0);
  const names = added.length > 0 ? undefined : await sendMalformed(plan, send);
  const learned = describeResults(plan, response, acceptsLabel, names);
  const profile = added.length > 0 ? null : await store(learned, settings, context);
  return { learned, added, profile };
}

/** The response to a request, or the error for one that the service rejected as invalid. */
type Reply = { response: BulkResponse; error?: undefined } | { response?: undefined; error: ServiceError };

type Send = (entries: Entries) => Promise<Reply>;

async function post(client: ServiceClient, entries: Entries): Promise<Reply> {
  try {
    const { response } = await addMembers(client, entries);
    return { response };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 400 || error.status === 422) return { error };
    if (error.processed === 'no') throw error;
    const hint = 'The request may have been processed. Check that no one was added, then run the calibration again.';
    throw withHint(error, hint);
  }
}

/** Sends the first request, and again without the label if the service does not accept it and has added no one. */
async function sendProbe(
  plan: CalibrationPlan,
  send: Send,
  hasAdded: () => boolean,
): Promise<{ response: BulkResponse; acceptsLabel: boolean }> {
  const first = await send(probeEntries(plan, true));
  if (first.response !== undefined && (hasAdded() || !isAboutLabel(plan.labelName, errorTexts(first.response)))) {
    return { response: first.response, acceptsLabel: true };
  }
  const second = await send(probeEntries(plan, false));
  if (second.response !== undefined) return { response: second.response, acceptsLabel: false };
  throw withHint(
    second.error,
    'Nothing was learned. If a role or department is not accepted, pass others with --role and --department.',
    {
      code: 'rejected',
      exitCode: EXIT.failure,
      message: `the service rejected both entries: ${messageOfFailure(second.error)}`,
    },
  );
}

interface NamesResult {
  base: 0 | 1 | null;
  reason: string;
}

async function sendMalformed(plan: CalibrationPlan, send: Send): Promise<NamesResult> {
  try {
    const { error } = await send(malformedEntries(plan));
    if (error === undefined) return { base: null, reason: 'a malformed entry does not reject the entire request' };
    return { base: namesBaseOf(error.messages), reason: 'the rejection does not name the malformed entry' };
  } catch (error) {
    // Keeps what the first request has shown.
    if (!(error instanceof OrgadmError)) throw error;
    return { base: null, reason: error.message };
  }
}

function describeResults(
  plan: CalibrationPlan,
  response: BulkResponse,
  acceptsLabel: boolean,
  names: NamesResult | undefined,
): CalibrationResult[] {
  const probe = readProbeResponse(plan, response);
  const { existing, unknown } = distinctPhrases(probe, plan);
  const openMessage = 'the service does not show it';
  return [
    {
      topic: 'error-index-base',
      value: probe.indexBase,
      detail: probe.indexBaseReason ?? `errors[].index counts from ${probe.indexBase}`,
      setting: 'wire.member.errorIndexBase',
    },
    {
      topic: 'existing-message',
      value: existing,
      detail: cleanLine(describeMessage(probe.memberMessage, existing) ?? openMessage),
      setting: 'wire.member.existing',
    },
    {
      topic: 'unknown-message',
      value: unknown,
      detail: cleanLine(describeMessage(probe.unknownMessage, unknown) ?? openMessage),
      setting: 'wire.member.unknown',
    },
    {
      topic: 'names-base',
      value: names?.base ?? null,
      detail: cleanLine(
        names === undefined
          ? 'not tried, because a member was added'
          : names.base === null
            ? names.reason
            : `a rejected request names its entries from ${names.base}`,
      ),
      setting: 'wire.member.namesBase',
    },
    {
      topic: 'device-label',
      value: acceptsLabel,
      detail: acceptsLabel
        ? `${plan.labelName} is accepted`
        : `${plan.labelName} is not accepted; if it has another name: orgadm config set wire.member.deviceMgmtLabelId <name>`,
      setting: null,
    },
  ];
}

const QUOTED_CHARACTERS = 200;

function describeMessage(message: string | null, phrase: string | null): string | undefined {
  if (message === null) return undefined;
  const quoted = `"${message.slice(0, QUOTED_CHARACTERS)}"`;
  return phrase === null ? `${quoted}, which does not distinguish the two cases` : quoted;
}

/** Prints what will be sent, and asks whether to send it. */
async function confirmRequests(
  plan: CalibrationPlan,
  client: ServiceClient,
  settings: Settings,
  yes: boolean,
  { host, output }: Context,
): Promise<void> {
  const body = (entries: Entries) => cleanLine(JSON.stringify({ members: entries }));
  const lines = [
    `Calibrating with ${client.baseUrl} (${settings.sandbox === undefined ? `profile ${settings.profile}` : 'sandbox'}):`,
    `  POST /v1/people/bulk ${body(probeEntries(plan, true))}`,
    `  if ${cleanLine(plan.labelName)} is rejected: POST /v1/people/bulk ${body(probeEntries(plan, false))}`,
    `  POST /v1/people/bulk ${body(malformedEntries(plan))}`,
    `${cleanLine(plan.member)} must be a member already, or is added. The other user does not exist.`,
  ];
  const needsConfirmation = !yes && settings.sandbox === undefined;
  if (needsConfirmation && !canPrompt(host)) {
    throw new UsageError(
      '--calibrate sends requests that could add people, and there is no terminal to ask on',
      'Add --yes if the user of --member is a member already.',
    );
  }
  // A question is shown with what it is about, also under --quiet.
  const show = needsConfirmation ? (line: string) => host.stderr.write(`${line}\n`) : output.note;
  for (const line of lines) show(line);
  if (needsConfirmation && !(await confirmChange('Send these requests?', host))) {
    throw new UsageError('not confirmed; nothing was sent');
  }
}

/** Writes what was learned into the profile. Returns its name; undefined results leave its settings alone. */
async function store(
  learned: readonly CalibrationResult[],
  { sandbox, profile, baseUrl }: Settings,
  context: Context,
): Promise<string | null> {
  if (sandbox !== undefined) return null;
  const { host, output } = context;
  const own = (await context.sources()).profile.values['base-url'];
  if (own !== undefined && SETTINGS['base-url'].read(own, 'base-url') !== baseUrl) {
    output.warn(`nothing was stored: profile ${profile} is for another service, ${cleanLine(String(own))}`);
    return null;
  }
  const values = learned.filter(({ setting, value }) => setting !== null && value !== null);
  if (values.length === 0) return null;
  await changeProfile(host, profile, (before) => values.reduce(withLearned, before));
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

function withLearned(profile: Profile, { setting, value }: CalibrationResult): Profile {
  if (setting === null || value === null) return profile;
  return { ...profile, [setting]: typeof value === 'string' ? withPhrase(profile[setting], value) : value };
}

/** The phrases of a setting and the one that was learned, which may be among them. */
function withPhrase(stored: StoredValue | undefined, phrase: string): readonly string[] {
  const phrases = stored === undefined ? [] : [stored].flat().map(String);
  return phrases.some((known) => known === phrase || matchesPhrase(phrase, known)) ? phrases : [...phrases, phrase];
}
