// reprise token: manages tokens for other programs. It writes to the data directory; a running daemon sees changes at once.
import { loadConfig } from '../../config/config.ts'
import type { Scope } from '../../daemon/contract/scope.ts'
import { rotateToken, tokenPath } from '../../daemon/process/token.ts'
import {
  createToken,
  listTokens,
  revokeToken,
  type TokenRecord,
} from '../../daemon/process/token-records.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { checkApproveToken, requireApprover } from '../open/approver.ts'
import type { Io } from '../start/io.ts'
import { type Column, printJson, printLine } from '../view/print.ts'
import { printAll } from '../view/print-list.ts'

export async function listRecords(io: Io, flags: JsonFlag): Promise<number> {
  const records = listTokens(await homeOf(io))
  const columns = COLUMNS
  const empty = 'no tokens besides the main one'
  return printAll(io, records.map(shown), { ...flags, columns, empty })
}

const COLUMNS: readonly Column<ReturnType<typeof shown>>[] = [
  { title: 'token', cell: ({ id }) => id },
  { title: 'scopes', cell: ({ scopes }) => scopes.join(',') },
  { title: 'created', time: ({ createdAt }) => createdAt },
  { title: 'label', text: ({ label }) => label ?? '–' },
]

export type CreateFlags = JsonFlag & {
  readonly scope: readonly Scope[]
  readonly label?: string
}

/** The holder of a token with such a scope decides in a person's place. */
const PERSONS_SCOPES: readonly Scope[] = ['approve', 'admin']

export async function createRecord(io: Io, flags: CreateFlags): Promise<number> {
  const wanted = { scopes: flags.scope, label: flags.label ?? null }
  const home = await homeOf(io)
  if (flags.scope.some(scope => PERSONS_SCOPES.includes(scope))) {
    const approver = requireApprover(io)
    if (approver.kind === 'token') checkApproveToken(home, approver)
  }
  const { token, record } = createToken(home, wanted)
  if (flags.json) printJson(io, { ...shown(record), token })
  else printLine(io, token)
  io.stderr.write(`${record.id} may: ${record.scopes.join(', ')}; it is not shown again\n`)
  return 0
}

export async function revokeRecord(io: Io, id: string, flags: JsonFlag): Promise<number> {
  const record = revokeToken(await homeOf(io), id)
  if (flags.json) printJson(io, shown(record))
  else io.stderr.write(`${record.id} lets nobody in any more\n`)
  return 0
}

/** Replaces the main token. The old token and all browser logins stop working. */
export async function rotateMain(io: Io, flags: JsonFlag): Promise<number> {
  const home = await homeOf(io)
  rotateToken(home)
  if (flags.json) printJson(io, { path: tokenPath(home) })
  else io.stderr.write(`the new token is in ${tokenPath(home)}; the old one lets nobody in\n`)
  return 0
}

function shown({ id, label, scopes, createdAt }: TokenRecord) {
  return { id, label, scopes, createdAt }
}

async function homeOf(io: Io): Promise<string> {
  return (await loadConfig({ env: io.env, cwd: io.cwd })).home
}
