// Finds who may decide on the command line about an agent's request: a person at a terminal, or the holder of a token from
// elsewhere. Files in the data directory prove nothing: an agent without a sandbox can read them.
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

/** `null` when there is neither a token nor a person at a terminal. */
export function approverOf({ env, stdin, stderr }: Io): Approver | null {
  const token = env.REPRISE_TOKEN
  if (token) return { kind: 'token', token }
  // Every agent has this variable, so an agent started this process, not the user.
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

/** Without a daemon, this process checks the token against its record. */
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

/** The token for the daemon. For a person at a terminal, it is a new one that lasts as long as the command. */
export function tokenOf(
  home: string,
  approver: Approver,
): { readonly token: string; release(): void } {
  if (approver.kind === 'token') return { token: approver.token, release: () => {} }
  const { token, record } = createToken(home, { label: 'at a terminal', scopes: SCOPES })
  return { token, release: () => void revokeToken(home, record.id) }
}
