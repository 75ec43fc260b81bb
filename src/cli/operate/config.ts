// reprise config: shows every setting with where it comes from, says where the files are, and checks them.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type ConfigJudge,
  type ConfigProblem,
  checkConfig,
  problemsOfFile,
} from '../../config/check-config.ts'
import { findProjectFile } from '../../config/config.ts'
import { homeDirectory } from '../../config/home.ts'
import { explainConfig, type Setting } from '../../config/origins.ts'
import { problemOfPolicy } from '../../core/chain/tier-problems.ts'
import { RepriseError } from '../../errors.ts'
import type { JsonFlag } from '../flags/flags.ts'
import { type Io, paint } from '../start/io.ts'
import { type Column, printJson, printLine, printTable } from '../view/print.ts'
import { printError } from '../view/print-trouble.ts'
import { sanitiseLine } from '../view/sanitise.ts'

export type ConfigFlags = JsonFlag & { readonly cwd?: string }

export async function showConfig(io: Io, flags: ConfigFlags): Promise<number> {
  const settings = [...(await explainConfig(sourceOf(io, flags))), daemonUse(io)]
  if (flags.json) printJson(io, { items: settings, nextCursor: null })
  else printTable(io, settings, COLUMNS)
  return 0
}

const COLUMNS: readonly Column<Setting>[] = [
  { title: 'setting', cell: ({ key }) => key },
  {
    title: 'value',
    text: ({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)),
  },
  { title: 'from', cell: ({ from }) => from },
  { title: 'where', text: ({ where }) => where ?? '', keep: 'end' },
]

/** Whether verbs use a daemon that runs. `program.ts` passes the flag on in the variable. */
function daemonUse({ env }: Io): Setting {
  const given = env.REPRISE_NO_DAEMON
  const key = 'useDaemon'
  if (given === '--no-daemon') return { key, value: false, from: 'flag', where: given }
  if (given === undefined || given === '') return { key, value: true, from: 'default', where: null }
  return { key, value: given === '0', from: 'env', where: 'REPRISE_NO_DAEMON' }
}

export type PathFlags = ConfigFlags & { readonly project?: true }

/** Prints one path, so that a script can use it. */
export async function configPath(io: Io, flags: PathFlags): Promise<number> {
  const user = userPath(io)
  const project = findProjectFile(resolve(io.cwd, flags.cwd ?? '.'))
  if (flags.json) {
    printJson(io, { user, userExists: existsSync(user), project })
    return 0
  }
  if (!flags.project) {
    printLine(io, user)
    return 0
  }
  if (project !== null) {
    printLine(io, project)
    return 0
  }
  const hint =
    'A project has one: `reprise.yaml` in the directory, or at the root of its repository.'
  throw new RepriseError('not-found', 'this directory has no project config', hint)
}

export function userPath({ env }: Io): string {
  return join(homeDirectory(env), 'config.yaml')
}

export async function checkConfigFiles(
  io: Io,
  file: string | undefined,
  flags: PathFlags,
): Promise<number> {
  const { files, problems } =
    file === undefined
      ? await checkConfig(sourceOf(io, flags), await configJudge())
      : checkOne(resolve(io.cwd, file), flags.project ? 'project' : 'user')
  if (flags.json) printJson(io, { ok: problems.length === 0, files, problems })
  else printChecked(io, files, problems)
  return problems.length === 0 ? 0 : 2
}

/** Each agent has settings that its adapter takes, and must be able to run the tiers that name it. */
async function configJudge(): Promise<ConfigJudge> {
  const { configuredAgents, problemOfAgent } = await import('../open/configured-agents.ts')
  return {
    agent: problemOfAgent,
    policy: (policy, config) => problemOfPolicy(policy, configuredAgents(config))?.message ?? null,
  }
}

function checkOne(file: string, whose: 'user' | 'project') {
  return { files: [file], problems: problemsOfFile(file, whose) }
}

function printChecked(io: Io, files: readonly string[], problems: readonly ConfigProblem[]): void {
  printProblems(io, problems)
  if (problems.length > 0) return
  const what = files.length === 0 ? 'there is no config file; the defaults hold' : files.join(', ')
  printLine(io, `${paint(io, io.stdout, 'green')('ok')}  ${sanitiseLine(what)}`)
}

/** On stderr: a result is only that everything is well. */
export function printProblems(io: Io, problems: readonly ConfigProblem[]): void {
  for (const { file, line, message, hint } of problems) {
    const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `
    printError(io, { message: sanitiseLine(`${place}${message}`), hint: sanitiseLine(hint) })
  }
}

function sourceOf(io: Io, { cwd = '.' }: ConfigFlags) {
  return { env: io.env, cwd: resolve(io.cwd, cwd) }
}
