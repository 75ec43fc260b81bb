// What the HTTP status of a failed model request means, whichever agent reports it.
import type { FailureClass } from '../core/run/run.ts'

const BY_STATUS: ReadonlyMap<number, FailureClass> = new Map([
  [401, 'auth'],
  [402, 'credit'],
  [403, 'auth'],
  [404, 'model-not-found'],
  [408, 'network'],
  [413, 'too-long'],
  [429, 'rate-limit'],
  [529, 'overload'],
])

export function classOfStatus(status: number): FailureClass {
  return BY_STATUS.get(status) ?? (status >= 500 ? 'server-error' : 'bad-request')
}
