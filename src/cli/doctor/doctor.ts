// reprise doctor: checks everything that Reprise needs, and prints one line per check with what to do.
import { existsSync } from 'node:fs'
import { type Config, loadConfig } from '../../config/config.ts'
import { homeDirectory } from '../../config/home.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { openReprise } from '../open/open-reprise.ts'
import { type Io, paint } from '../start/io.ts'
import { beside, printJson, printLine } from '../view/print.ts'
import { sanitiseLine } from '../view/sanitise.ts'
import { checkCheckpoints } from './check-checkpoints.ts'
import { checkDaemon, checkToken } from './check-daemon.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkSpool } from './check-spool.ts'
import { checkAgents, checkPostgres, checkSqlite, checkStore } from './check-store.ts'
import {
  checkDataDirectory,
  checkDiskSpace,
  checkNode,
  checkWritable,
  type Diagnosis,
  look,
  ok,
} from './finding.ts'

export async function doctor(io: Io, flags: JsonFlag): Promise<number> {
  const findings = await examine(io)
  const bad = findings.filter(({ state }) => state === 'bad')
  const shown = findings.map(({ exitCode: _, ...finding }) => finding)
  if (flags.json) printJson(io, { ok: bad.length === 0, findings: shown })
  else for (const finding of findings) print(io, finding)
  return Math.max(0, ...bad.map(({ exitCode = 2 }) => exitCode))
}

async function examine(io: Io): Promise<readonly Diagnosis[]> {
  const findings = [checkNode(process.versions.node), ...(await look('sqlite', checkSqlite))]
  const config: Config[] = []
  findings.push(
    ...(await look('config', async () => {
      const read = await loadConfig({ env: io.env, cwd: io.cwd })
      config.push(read)
      return ok('config', read.files.join(', ') || 'none; the defaults')
    })),
  )
  const home = config[0]?.home ?? homeDirectory(io.env)
  findings.push(
    ...(await look('data directory', () => checkDataDirectory(home))),
    ...(await look('disk space', () => checkDiskSpace(home))),
    ...(await look('disk', () => checkWritable(home))),
    ...(await look('spool', () => checkSpool(home))),
    ...(await look('sandbox', () => checkSandbox(home))),
    ...(await look('token', () => checkToken(home))),
    ...(await look('daemon', () => checkDaemon(home))),
  )
  for (const read of config) findings.push(...(await examineStore(io, read)))
  return findings
}

const IN_MEMORY = { kind: 'file', path: ':memory:', place: 'memory' } as const

async function examineAgents(io: Io, config: Config): Promise<readonly Diagnosis[]> {
  const reprise = openReprise({ ...config, database: IN_MEMORY }, io)
  try {
    return await look('agents', () => checkAgents(reprise, config))
  } finally {
    await reprise.close()
  }
}

async function examineStore(io: Io, config: Config): Promise<readonly Diagnosis[]> {
  const { database } = config
  if (database.kind === 'file') return examineIn(io, config, existsSync(database.path))
  const found = { hasStore: false }
  const findings = await look('database', async () => {
    const { diagnosis, hasStore } = await checkPostgres(database)
    found.hasStore = hasStore
    return diagnosis
  })
  const isUsable = findings.every(({ state }) => state === 'ok')
  const further = isUsable ? examineIn(io, config, found.hasStore) : examineAgents(io, config)
  return [...findings, ...(await further)]
}

/** The check must not create a store. */
async function examineIn(io: Io, config: Config, hasStore: boolean): Promise<readonly Diagnosis[]> {
  if (!hasStore) {
    return [ok('store', 'none yet; made with the first turn'), ...(await examineAgents(io, config))]
  }
  return look('store', async () => {
    const reprise = openReprise(config, io)
    try {
      return [
        ...(await look('store', () => checkStore(reprise, config))),
        ...(await look('agents', () => checkAgents(reprise, config))),
        ...(await look('checkpoints', () => checkCheckpoints(reprise, io.cwd))),
      ]
    } finally {
      await reprise.close()
    }
  })
}

/** Readable on light and on dark terminals; yellow is not. */
const COLOURS = { ok: 'green', warn: 'magenta', bad: 'red' } as const

function print(io: Io, { check, state, detail, hint }: Diagnosis): void {
  const mark = paint(io, io.stdout, COLOURS[state])(state.padEnd(4))
  printLine(io, `${mark}  ${check.padEnd(20)} ${beside(io.stdout, 27, sanitiseLine(detail))}`)
  if (hint === null) return
  printLine(io, `      ${' '.repeat(20)} → ${beside(io.stdout, 29, sanitiseLine(hint))}`)
}
