// Time that only goes forward, whatever happens to the wall clock.

/** Since some moment in the past. `performance.now()` would say as much, but takes a millisecond to be loaded. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
