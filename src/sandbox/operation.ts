import type { Clock } from '../util/clock.ts';
import type { Luck } from './fault-plan.ts';
import type { Answer } from './sandbox-response.ts';
import type { Store } from './store.ts';
import type { Variants } from './variants.ts';

/** A request whose sender is known. */
export interface Call {
  readonly pathParameter: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly luck: Luck;
}

/** What operations act upon. */
export interface World {
  readonly store: Store;
  readonly variants: Variants;
  readonly clock: Clock;
  /** How often each domain was asked for since the start. */
  readonly domainReads: Map<string, number>;
}

/**
 * An operation looks at the request when it arrives, throwing a Refusal if that is all it needs, and returns what is to
 * be done when it ends. What changes in between is not seen again: that gap is how services come by double members.
 */
export type Operation = (call: Call, world: World) => () => Answer;
