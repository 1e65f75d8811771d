import type { Clock } from '../util/clock.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { SandboxResponse } from './sandbox-response.ts';
import type { SandboxStore } from './store.ts';
import type { Variants } from './variants.ts';

/** A request whose sender is known. */
export interface OperationRequest {
  readonly pathParameter: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly faultPlan: FaultPlan;
}

/** What operations act upon. */
export interface SandboxContext {
  readonly store: SandboxStore;
  readonly variants: Variants;
  readonly clock: Clock;
  /** How often each domain was asked for since the start. */
  readonly domainReads: Map<string, number>;
}

/**
 * An operation looks at the request when it arrives, throwing a Refusal if that is all it needs, and returns what is to
 * be done when it ends. What changes in between is not seen again: that gap is how services come by double members.
 */
export type Operation = (call: OperationRequest, world: SandboxContext) => () => SandboxResponse;
