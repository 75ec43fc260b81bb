// Checks that the store opens and keeps its invariants, and that the agents are found.
import Database from 'better-sqlite3'
import type { AgentReport, Reprise } from '../../api.ts'
import type { Config } from '../../config/config.ts'
import { refuseOldSqlite } from '../../store/sqlite/configure.ts'
import { type Diagnosis, ok } from './finding.ts'

export function checkSqlite(): Diagnosis {
  const database = new Database(':memory:')
  try {
    const version = String(database.prepare('select sqlite_version()').pluck().get())
    refuseOldSqlite(version)
    return ok('sqlite', version)
  } finally {
    database.close()
  }
}

/** Also says whether there is a store in it: the check must not make one. */
export async function checkPostgres({
  url,
  place,
}: {
  readonly url: string
  readonly place: string
}): Promise<{ readonly diagnosis: Diagnosis; readonly hasStore: boolean }> {
  const { inspectPostgres } = await import('../../store/postgres/open-postgres.ts')
  const { server, version } = await inspectPostgres(url)
  return {
    diagnosis: ok('database', `PostgreSQL ${server} at ${place}`),
    hasStore: version !== null,
  }
}

export async function checkStore(reprise: Reprise, { database }: Config): Promise<Diagnosis> {
  const violations = await reprise.verify()
  if (violations.length === 0) return ok('store', `${database.place}: every invariant holds`)
  const [first] = violations
  return {
    check: 'store',
    state: 'bad',
    detail: `${violations.length} invariants are broken, such as ${first?.rule}: ${first?.detail}`,
    hint: 'see them all with `reprise verify`, keep a copy of the store, and please report it',
    exitCode: 70,
  }
}

export async function checkAgents(
  reprise: Reprise,
  { defaultAgent }: Config,
): Promise<readonly Diagnosis[]> {
  const reports = (await reprise.agents()).filter(({ configured }) => configured)
  return reports.flatMap(report => [
    checkAgent(report, defaultAgent),
    ...(report.problem === null ? [checkLogin(report, defaultAgent)] : []),
  ])
}

/** A missing default agent is bad; another one is only a warning, since the config may be shared between machines. */
function checkAgent(report: AgentReport, defaultAgent: string): Diagnosis {
  const check = `agent ${report.name}`
  if (report.problem === null) {
    return ok(check, `${report.version ?? 'version unknown'} ${report.executable}`)
  }
  const state = report.name === defaultAgent ? 'bad' : 'warn'
  return { check, state, detail: report.problem, hint: report.hint }
}

/** Says where a key or a login is, never what it is. */
function checkLogin({ name, login, hint }: AgentReport, defaultAgent: string): Diagnosis {
  const check = `login ${name}`
  if (login.state === 'found') return ok(check, `${login.how}`)
  if (login.state === 'unknown') return ok(check, 'nobody can know before a turn')
  const state = name === defaultAgent ? 'bad' : 'warn'
  return { check, state, detail: 'there is no key and no login: every turn would fail', hint }
}
