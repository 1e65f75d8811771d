import type { Clock } from './host.ts';

/** A moment that another process on the machine can compare with its own time. */
export interface Moment {
  /** Milliseconds since the epoch, by the clock of the machine. */
  readonly clock: number;
  /** Milliseconds since the machine was started. */
  readonly uptime: number;
  /** The same without the time in which the machine slept; absent where the system has no such clock. */
  readonly awake?: number;
}

/** Returns the present moment. */
export function presentMoment(clock: Clock): Moment {
  const awake = clock.awake();
  return { clock: clock.now(), uptime: clock.uptime(), ...(awake !== undefined && { awake }) };
}

/** Returns the moment that comes `ms` milliseconds later. */
export function momentAfter({ clock, uptime, awake }: Moment, ms: number): Moment {
  return { clock: clock + ms, uptime: uptime + ms, ...(awake !== undefined && { awake: awake + ms }) };
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
 * clock of the machine may have been corrected since, and a request may have been on its way while the machine slept. So the
 * smallest time counts that any of its clocks measures. After a restart of the machine, at least its uptime has passed.
 */
export function elapsedSince(moment: Moment, present: Moment): number {
  const measured = [present.clock - moment.clock, sinceStart(moment.uptime, present.uptime)];
  if (moment.awake !== undefined && present.awake !== undefined) measured.push(sinceStart(moment.awake, present.awake));
  return Math.max(0, Math.min(...measured));
}

/** The time between two readings of a clock that starts with the machine. */
function sinceStart(earlier: number, present: number): number {
  return present < earlier ? present : present - earlier;
}
