// A world for tests of the CLI: a data directory, a work dir, the fake agent, and `reprise` as a real process.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { SCOPES } from '../../../src/daemon/contract/scope.ts'
import { createToken } from '../../../src/daemon/process/token-records.ts'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { placeEmptyStore } from '../../empty-store.ts'
import { builtFakeAgent } from '../../fake-agent.ts'
import { isOnPostgres } from '../../postgres/chosen-store.ts'
import { newDatabase } from '../../postgres/shared.ts'
import { type RanHere, runCliHere } from '../../run-cli-here.ts'
import type { Printed } from './printed.ts'

export type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export type RunOptions = {
  readonly stdin?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** What `reprise` is for a user. */
export const LAUNCHER = fileURLToPath(new URL('../../../bin/reprise', import.meta.url))
/** The program that the launcher becomes, for a test that picks the Node. */
export const BIN = fileURLToPath(new URL('../../../bin/reprise.js', import.meta.url))

export class CliWorld {
  /** One for all worlds of the test run: in each data directory, everything would be compiled again. `null` in a test of that cache. */
  compileCache: string | null = process.env.NODE_COMPILE_CACHE ?? null
  /** Whether `json` and `list` run in the test's own process. `false` in a test of the program that answers them. */
  looksHere = true
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-e2e-')))
  readonly home = join(this.root, 'home')
  readonly storeFile = join(this.home, 'reprise.db')
  readonly workDir = join(this.root, 'project')
  readonly #script = join(this.root, 'script.json')
  #agent = ''
  /** Of PostgreSQL; `null`: the store is a file in the data directory. */
  databaseUrl: string | null = null
  #approveToken: string | undefined

  /** `with a store`: an empty one is there. Most tests are not about the first start, and it takes time to make a store. */
  async open(begins: 'new' | 'with a store' = 'new'): Promise<this> {
    mkdirSync(this.home, { mode: 0o700 })
    mkdirSync(this.workDir)
    this.#agent = await builtFakeAgent(this.root)
    // It goes with the server at the end of the test run.
    if (isOnPostgres) this.databaseUrl = (await newDatabase('store')).url
    else if (begins === 'with a store') await placeEmptyStore(this.storeFile)
    this.script([])
    this.config({})
    return this
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
  }

  path(name: string): string {
    return join(this.root, name)
  }

  /** What the agent does from now on. Turns of an earlier script that it does only once count no longer. */
  script(script: FakeScript): void {
    for (const name of readdirSync(this.root))
      if (name.startsWith('script.json.once-')) rmSync(this.path(name))
    writeFileSync(this.#script, JSON.stringify(script))
  }

  /** The config with the fake agent twice, as `claude-code` and `second`, and what a test adds. */
  config(more: Readonly<Record<string, unknown>>): void {
    const agent = { executable: this.#agent, env: this.agentEnv }
    const agents = { 'claude-code': agent, second: { adapter: 'claude-code', ...agent } }
    this.writeConfig(JSON.stringify({ agents, ...more }))
  }

  writeConfig(text: string): void {
    writeFileSync(join(this.home, 'config.yaml'), text)
  }

  /** The program of the agent. */
  get executable(): string {
    return this.#agent
  }

  get agentEnv(): Record<string, string> {
    return { FAKE_AGENT_SCRIPT: this.#script, CLAUDE_CONFIG_DIR: this.path('agent') }
  }

  /** For verbs that let an agent do more: what a person would keep elsewhere. */
  get approving(): { readonly env: Readonly<Record<string, string>> } {
    return { env: { REPRISE_TOKEN: this.approveToken } }
  }

  get approveToken(): string {
    this.#approveToken ??= createToken(this.home, { label: 'a test', scopes: SCOPES }).token
    return this.#approveToken
  }

  /** Of `reprise`. */
  get env(): NodeJS.ProcessEnv {
    const { compileCache, databaseUrl } = this
    return {
      PATH: process.env.PATH,
      HOME: this.root,
      REPRISE_HOME: this.home,
      ...(databaseUrl !== null && { REPRISE_DATABASE_URL: databaseUrl }),
      ...(compileCache !== null && { NODE_COMPILE_CACHE: compileCache }),
    }
  }

  start(args: readonly string[], { env = {}, cwd = this.workDir }: RunOptions = {}): ChildProcess {
    return spawn(LAUNCHER, args, {
      cwd,
      env: { ...this.env, ...env },
    })
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = this.start(args, options)
    child.stdin?.on('error', () => {
      // It ended before it read everything: the test looks at how it ended.
    })
    child.stdin?.end(options.stdin ?? '')
    return ended(child)
  }

  /** The same verb inside the test's own process, without the start of a program. */
  here(args: readonly string[], options: RunOptions = {}): Promise<RanHere> {
    const { stdin, env = {}, cwd = this.workDir } = options
    const piped = stdin !== undefined && { stdin: Readable.from([stdin]), isStdinPiped: () => true }
    // The launcher is a shell script, and its shell sets PWD.
    return runCliHere(args, { cwd, env: { ...this.env, PWD: cwd, ...env }, ...piped })
  }

  /** What `--json` printed. Tests prepare their worlds with it and look at them: the start of a program would show nothing more. */
  async json<const Args extends readonly string[]>(
    args: Args,
    options: RunOptions = {},
  ): Promise<Printed<Args>> {
    const verb = [...args, '--json']
    const ran = this.looksHere ? this.here(verb, options) : this.run(verb, options)
    const { code, out, err } = await ran
    if (code !== 0) throw new Error(`reprise ${args.join(' ')} ended with ${code}: ${out}${err}`)
    return JSON.parse(out) as Printed<Args>
  }

  /** The items of what `--json` printed. */
  async list<const Args extends readonly string[]>(
    args: Args,
    options: RunOptions = {},
  ): Promise<ItemsOf<Printed<Args>>> {
    const page = await this.json(args, options)
    return (page as unknown as { readonly items: ItemsOf<Printed<Args>> }).items
  }
}

type ItemsOf<Printed> = Printed extends { readonly items: infer Items } ? Items : never

export async function ended(child: ChildProcess): Promise<Ended> {
  let out = ''
  let err = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    out += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    err += text
  })
  return new Promise(resolve => {
    child.once('close', (code, signal) => resolve({ code, signal, out, err }))
  })
}
