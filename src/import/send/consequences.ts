import type { ServiceError } from '../../client/service-error.ts';
import type { OrgadmError } from '../../util/errors.ts';
import type { Outcomes, UnknownNote } from '../outcome.ts';
import type { Batch, BatchPart, NamedRow } from './batch.ts';
import { rejectedOutcome } from './response/already-member.ts';
import { type Failure, type FailureClass, messageOfFailure } from './response/classify-error.ts';
import { messagesByPosition, shortenMessage } from './response/row-messages.ts';
import type { PendingRow } from './send-events.ts';
import type { ServiceCondition } from './service-condition.ts';

/** A request without a usable response. */
export interface FailedRequest {
  readonly batch: Batch;
  readonly part: BatchPart;
  readonly failure: Failure;
  readonly error: ServiceError;
  /** When orgadm began to send it, in milliseconds since the epoch. */
  readonly sentAtMs: number;
}

/** What follows from a failure. */
interface Consequences {
  /**
   * Returns the outcomes of the rows of the request. The others are as they were before.
   *
   * @param phrases the setting `wire.member.existing`
   */
  rows(request: FailedRequest, phrases: readonly string[]): Outcomes;
  /** Puts back into the batch what remains to be sent. Returns rows that have failed for certain. */
  batch(request: FailedRequest): readonly NamedRow[];
  /** Records what the failure shows about the service. Returns why the run should end, if it should. */
  run(request: FailedRequest, service: ServiceCondition): OrgadmError | undefined;
}

/** The request is sent again. */
const AGAIN = {
  rows: () => new Map(),
  batch({ batch, part }: FailedRequest) {
    batch.putBack(part);
    return [];
  },
};

/** What follows from each class of failure for the rows of the request, for their batch, and for the run. */
export const CONSEQUENCES: Readonly<Record<FailureClass, Consequences>> = {
  'rate-limited': { ...AGAIN, run: ({ error, sentAtMs }, { pace }) => pace.limited(error, sentAtMs) },
  'not-processed': { ...AGAIN, run: ({ error, sentAtMs }, { pace }) => pace.failed(error, sentAtMs) },
  'too-large': {
    rows: rejectedAlone,
    batch({ batch, part, error }) {
      batch.halve(part, error);
      return [];
    },
    run({ batch, part }, service) {
      service.responded();
      if (part.rows.length > 1 && batch.isWhole(part)) service.batchSize.limitTo(Math.ceil(part.rows.length / 2));
      return undefined;
    },
  },
  rejected: {
    rows: rejectedAlone,
    batch: ({ batch, part, failure, error }) => batch.split(part, failure.named ?? new Map(), error),
    run(_, service) {
      service.responded();
      return undefined;
    },
  },
  unknown: {
    rows: unknownRows,
    batch({ batch, part }) {
      batch.end(part);
      return [];
    },
    run: ({ batch, part, error, sentAtMs }, service) => service.unknown(error, { batch, part, sentAtMs }),
  },
};

/** Fails a row that was rejected alone. */
function rejectedAlone({ part, error }: FailedRequest, phrases: readonly string[]): Outcomes {
  const [row, ...others] = part.rows;
  if (row === undefined || others.length > 0) return new Map();
  return new Map([[row.number, rejectedOutcome(messageAlone(error), phrases)]]);
}

/** Returns the message on a member that was rejected alone, without its position in the request, which is not that in the list. */
function messageAlone(error: ServiceError): string {
  const byPosition = [...messagesByPosition(error.messages, Number.POSITIVE_INFINITY).values()];
  return byPosition.length > 0 ? byPosition.join('; ') : messageOfFailure(error);
}

function unknownRows({ batch, part, error }: FailedRequest): Outcomes {
  if (part.rows.length > 1 || batch.purpose === 'first') return unknownOutcomes(part.rows, error.message);
  return unknownOutcomes(part.rows, reasonAlone(error), (error.status ?? 0) >= 500 ? 'failing' : undefined);
}

/** Says that a row has no known outcome although it was sent again alone. */
function reasonAlone(error: ServiceError): string {
  const { status } = error;
  const detail = status === undefined ? error.message : [status, ...error.messages.slice(0, 1)].join(' ');
  return status !== undefined && status >= 500
    ? `the service fails when orgadm sends the row alone (${detail})`
    : `no usable response when orgadm sends the row alone (${detail})`;
}

/** Returns the outcomes of rows that are unknown for the same reason. */
export function unknownOutcomes(rows: readonly PendingRow[], reason: string, note?: UnknownNote): Outcomes {
  const message = shortenMessage(reason);
  return new Map(rows.map(({ number }) => [number, { state: 'unknown', message, note }]));
}
