// Who may decide by the command line what an agent asked for: a person at a terminal, or the holder of a token that is
// kept elsewhere. What lies in the data directory proves nothing: an agent without a sandbox can read it.
import { hashOfToken, isSame } from '../../daemon/caller.ts'
import { SCOPES } from '../../daemon/contract/scope.ts'
import {
  createToken,
  idOfToken,
  readTokenRecord,
  revokeToken,
} from '../../daemon/process/token-records.ts'
import { RepriseError } from '../../errors.ts'
import type { Io } from '../start/io.ts'

export type Approver =
  | { readonly kind: 'terminal' }
  | { readonly kind: 'token'; readonly token: string }

/** `null`: nobody who may decide is known to be there. */
export function approverOf({ env, stdin, stderr }: Io): Approver | null {
  const token = env.REPRISE_TOKEN
  if (token) return { kind: 'token', token }
  // Set in every agent's environment: what it starts is not the user.
  if (env.REPRISE_RUN_ID !== undefined) return null
  return stdin.isTTY === true && stderr.isTTY === true ? { kind: 'terminal' } : null
}

export function requireApprover(io: Io): Approver {
  const approver = approverOf(io)
  if (approver) return approver
  const why = io.env.REPRISE_RUN_ID === undefined ? 'this is no terminal' : 'this runs in an agent'
  throw new RepriseError(
    'forbidden',
    `a person has to decide this, and ${why}`,
    'Run it in a terminal, or set REPRISE_TOKEN to a token of `reprise token create --scope read,submit,approve`.',
  )
}

/** Where no daemon checks a token, its record does. */
export function checkApproveToken(home: string, { token }: { readonly token: string }): void {
  const id = idOfToken(token)
  const record = id === null ? null : readTokenRecord(home, id)
  const isKnown = record !== null && isSame(Buffer.from(record.hash, 'hex'), hashOfToken(token))
  if (isKnown && record.scopes.includes('approve')) return
  throw new RepriseError(
    'forbidden',
    'the token in REPRISE_TOKEN may not approve',
    'Use one of `reprise token create --scope read,submit,approve`, made in a terminal.',
  )
}

/** What the daemon is shown: for a person at a terminal, a token that lasts as long as the command. */
export function tokenOf(
  home: string,
  approver: Approver,
): { readonly token: string; release(): void } {
  if (approver.kind === 'token') return { token: approver.token, release: () => {} }
  const { token, record } = createToken(home, { label: 'at a terminal', scopes: SCOPES })
  return { token, release: () => void revokeToken(home, record.id) }
}
