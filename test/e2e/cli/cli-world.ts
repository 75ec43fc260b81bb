// A world for tests of the CLI: a data directory, a work dir, the fake agent, and `reprise` as a real process.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SCOPES } from '../../../src/daemon/contract/scope.ts'
import { createToken } from '../../../src/daemon/process/token-records.ts'
import type { FakeScript } from '../../../src/testing/fake-agent/script.ts'
import { builtFakeAgent } from '../../fake-agent.ts'
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

/** One for all worlds of the test run: a data directory of its own would have everything compiled again. */
const COMPILED_CODE = join(tmpdir(), 'compiled-code')

export class CliWorld {
  /** `NODE_COMPILE_CACHE`; `null` in a test of the cache that Reprise keeps itself. */
  compileCache: string | null = COMPILED_CODE
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-e2e-')))
  readonly home = join(this.root, 'home')
  readonly workDir = join(this.root, 'project')
  readonly #script = join(this.root, 'script.json')
  #agent = ''
  #approveToken: string | undefined

  async open(): Promise<this> {
    mkdirSync(this.home, { mode: 0o700 })
    mkdirSync(this.workDir)
    this.#agent = await builtFakeAgent(this.root)
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

  script(script: FakeScript): void {
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
    const { compileCache } = this
    return {
      PATH: process.env.PATH,
      HOME: this.root,
      REPRISE_HOME: this.home,
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

  /** What `--json` printed. */
  async json<const Args extends readonly string[]>(
    args: Args,
    options: RunOptions = {},
  ): Promise<Printed<Args>> {
    const { code, out, err } = await this.run([...args, '--json'], options)
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
