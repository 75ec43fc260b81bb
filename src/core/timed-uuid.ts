// An id in the form of UUID version 7: it begins with the time at which it was made, as agents expect it in names of their files.

/** `random`: any other UUID, which gives everything but the time. */
export function timedUuid(atMs: number, random: string): string {
  const time = Math.trunc(atMs).toString(16).padStart(12, '0').slice(-12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
