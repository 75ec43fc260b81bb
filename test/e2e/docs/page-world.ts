// A world for the commands of one page: a home, a repository to work in, `claude`, `reprise` and a shell that stays.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { builtFakeAgent } from '../../fake-agent.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'
import { LAUNCHER } from '../cli/cli-world.ts'
import { NOT_RUN } from './not-run.ts'

export const ROOT = dirname(dirname(LAUNCHER))

export type Printed = { readonly code: number; readonly out: string }

/** Reads commands from a pipe of their own, so that no command takes the next one for its input. */
const SHELL = String.raw`
while IFS= read -r -d '' -u 3 command; do
  case $command in
    *'&') eval "$command" 3<&- < /dev/null > background.log 2>&1 ;;
    *) eval "$command" 3<&- < /dev/null 2>&1 ;;
  esac
  printf '\0%d\0' "$?"
done`

/** The table of each kind of id, for words such as THREAD and thr_… in a command. */
const TABLES = {
  THREAD: ['thr', 'threads'],
  RUN: ['run', 'runs'],
  JOB: ['job', 'jobs'],
  CHAIN: ['chn', 'chains'],
  SCHEDULE: ['sch', 'schedules'],
  SESSION: ['ses', 'sessions'],
  MESSAGE: ['msg', 'messages'],
} as const

const POSTGRES_URL = /postgres:\/\/[^\s'"]+/

export class PageWorld {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-page-')))
  readonly workDir = join(this.root, 'server')
  readonly dataDir = join(this.root, '.local/share/reprise')
  #shell: ChildProcess | undefined
  #database: TestDatabase | undefined

  async open(script: FakeScript): Promise<this> {
    mkdirSync(join(this.root, 'bin'))
    mkdirSync(join(this.root, 'node_modules'))
    mkdirSync(this.workDir)
    symlinkSync(ROOT, join(this.root, 'node_modules/reprise'))
    const realAgents = join(ROOT, 'test/real-agents/node_modules/@anthropic-ai')
    symlinkSync(realAgents, join(this.root, 'node_modules/@anthropic-ai'))
    symlinkSync(join(ROOT, 'policies'), join(this.workDir, 'policies'))
    const agent = await builtFakeAgent(this.root)
    writeFileSync(join(this.root, 'script.json'), JSON.stringify(script))
    this.#program('claude', [
      `export FAKE_AGENT_SCRIPT='${join(this.root, 'script.json')}'`,
      `exec '${agent}' "$@"`,
    ])
    // Any free port instead of 4747, which another daemon of this machine may have.
    this.#program('reprise', [
      'if [ "$1" = serve ]; then shift; set -- serve --port 0 "$@"; fi',
      `exec '${LAUNCHER}' "$@"`,
    ])
    this.#program('node', [`exec '${process.execPath}' "$@"`])
    for (const name of new Set(Object.keys(NOT_RUN).map(call => call.split(' ', 1).join()))) {
      this.#program(name, [
        `case "${name} $*" in`,
        ...Object.keys(NOT_RUN).map(call => `  '${call}') exit ;;`),
        'esac',
        `echo "test/e2e/docs/not-run.ts does not name: ${name} $*"`,
        'exit 99',
      ])
    }
    this.#makeRepository()
    return this
  }

  get env(): NodeJS.ProcessEnv {
    return {
      PATH: `${join(this.root, 'bin')}:${process.env.PATH}`,
      HOME: this.root,
      TMPDIR: this.root,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      COLUMNS: '120',
      GIT_CONFIG_GLOBAL: '/dev/null',
      // The reader has a key.
      ANTHROPIC_API_KEY: 'sk-ant-not-a-real-key',
    }
  }

  write(name: string, text: string): void {
    const path = join(this.workDir, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  async run(command: string): Promise<Printed> {
    this.#shell ??= spawn('bash', ['-c', SHELL], {
      cwd: this.workDir,
      env: this.env,
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      detached: true,
    })
    const { stdout, stdio } = this.#shell
    const printed = readTo(stdout)
    const input = stdio[3]
    if (!input || !('write' in input)) throw new Error('the shell has no pipe for commands')
    const words = withoutComment(command)
    if (POSTGRES_URL.test(command)) this.#database ??= await newDatabase()
    const inBackground = words.endsWith('&')
    const startsWorker = inBackground && words.includes('reprise worker')
    const workers = startsWorker ? await this.#workers() : 0
    input.write(`${this.#withIds(inBackground ? words : command)}\0`)
    const result = await printed
    if (inBackground && words.includes('reprise serve')) await this.#daemonAnswers()
    while (startsWorker && (await this.#workers()) === workers) await sleep(50)
    return result
  }

  async close(): Promise<void> {
    this.#daemon()?.stop()
    while (this.#daemon()) await sleep(10)
    if (this.#shell?.pid !== undefined && this.#shell.exitCode === null) {
      const gone = new Promise(resolve => this.#shell?.once('close', resolve))
      process.kill(-this.#shell.pid, 'SIGKILL')
      await gone
    }
    await this.#database?.drop()
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }

  #program(name: string, lines: readonly string[]): void {
    writeFileSync(join(this.root, 'bin', name), ['#!/bin/sh', ...lines, ''].join('\n'), {
      mode: 0o755,
    })
  }

  #makeRepository(): void {
    this.write('server.js', "console.log('listening')\n")
    this.write('.gitignore', 'policies\n')
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@localhost', ...args], {
        cwd: this.workDir,
        env: this.env,
      })
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '--message', 'begin')
    appendFileSync(join(this.workDir, 'server.js'), "console.log('changed')\n")
  }

  /** THREAD, thr_… and their like are the latest of their kind, and 4747 is the port of the daemon. Databases are one of the test run. */
  #withIds(command: string): string {
    const port = this.#daemon()?.port
    const here = command.replace(POSTGRES_URL, () => this.#database?.url ?? '')
    const text = port ? here.replaceAll(':4747', `:${port}`) : here
    return Object.entries(TABLES).reduce((soFar, [word, [prefix, table]]) => {
      const placeholder = new RegExp(`(?<![\\w$-])${word}(?![\\w=-])|\\b${prefix}_…`, 'g')
      return soFar.replace(placeholder, () => this.#latest(table))
    }, text)
  }

  #latest(table: string): string {
    const database = new Database(join(this.dataDir, 'reprise.db'), { readonly: true })
    try {
      const row = database.prepare(`select id from ${table} order by rowid desc limit 1`).get()
      return String((row as { readonly id: string } | undefined)?.id)
    } finally {
      database.close()
    }
  }

  #daemon(): { readonly port: string; readonly stop: () => void } | null {
    const text = textIfThere(join(this.dataDir, 'daemon.json'))
    if (text === null) return null
    const { pid, url } = JSON.parse(text)
    if (!existsSync(`/proc/${pid}`)) return null
    return { port: new URL(url).port, stop: () => endIfThere(pid) }
  }

  /** How many workers have ever told the database that they live. */
  async #workers(): Promise<number> {
    const [row] = (await this.#database?.run('select count(*) from reprise.workers')) ?? []
    return Number(row?.count)
  }

  async #daemonAnswers(): Promise<void> {
    while (!this.#daemon()) await sleep(10)
  }
}

function withoutComment(command: string): string {
  return command.replace(/\s+#.*$/, '')
}

/** What is printed up to the mark of the shell, and the exit code in the mark. */
async function readTo(stdout: NodeJS.ReadableStream | null): Promise<Printed> {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (piece: Buffer) => {
      text += piece.toString('latin1')
      const [out = '', code] = text.split('\0')
      if (code === undefined || text.split('\0').length < 3) return
      stdout?.removeListener('data', take)
      stdout?.removeListener('end', end)
      resolve({ code: Number(code), out: Buffer.from(out, 'latin1').toString('utf8') })
    }
    const end = () => reject(new Error(`the shell ended: ${text}`))
    stdout?.on('data', take)
    stdout?.once('end', end)
  })
}

/** A daemon that stops removes its file, maybe between two looks. */
function textIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended by itself.
  }
}
