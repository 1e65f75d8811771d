import type { Clock } from './host.ts';

/** A moment that another process on the machine can compare with its own time. */
export interface Moment {
  /** Milliseconds since the epoch, by the clock of the machine. */
  readonly clock: number;
  /** Milliseconds since the machine was started. */
  readonly uptime: number;
}

/** Returns the present moment. */
export function presentMoment(clock: Clock): Moment {
  return { clock: clock.now(), uptime: clock.uptime() };
}

/** Returns the moment that comes `ms` milliseconds later. */
export function momentAfter({ clock, uptime }: Moment, ms: number): Moment {
  return { clock: clock + ms, uptime: uptime + ms };
}

/** The step of the uptime in milliseconds: on macOS, it is a number of seconds. */
const UPTIME_STEP_MS = 1_000;

/**
 * Returns how long it takes until a moment, in milliseconds; 0 once it has passed. The clock may stand still while the machine
 * sleeps, and the uptime goes on. So the smaller of both counts, within the precision of the uptime.
 */
export function remainingUntil(moment: Moment, present: Moment): number {
  const byUptime = moment.uptime - present.uptime + UPTIME_STEP_MS;
  return Math.max(0, Math.min(moment.clock - present.clock, byUptime));
}

/**
 * Returns how much time has passed since a moment, in milliseconds: never more than really has, and never less than 0. The
 * clock of the machine may have been corrected since, so the smaller of clock and uptime counts. After a restart of the
 * machine, at least its uptime has passed.
 */
export function elapsedSince(moment: Moment, present: Moment): number {
  const byUptime = present.uptime < moment.uptime ? present.uptime : present.uptime - moment.uptime;
  return Math.max(0, Math.min(present.clock - moment.clock, byUptime));
}
