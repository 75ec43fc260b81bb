// The id of a host: the name of a machine in leases, runs, jobs and workers. Two machines must not share one.

const HOST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export const HOST_ID_HINT =
  'Use letters, digits, `.`, `_` and `-`, at most 128 of them, or leave it out for the name of the machine.'

export function isHostId(text: string): boolean {
  return HOST_ID.test(text)
}
