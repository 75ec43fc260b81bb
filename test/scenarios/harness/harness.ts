// A world for scenarios: Reprise on a database of its own, two named agents on one program, and a model to ask what it got.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reprise, Thread, TurnOptions, TurnResult } from '../../../src/api.ts'
import type { View } from '../../../src/core/conversation/messages.ts'
import type { ReplayForm } from '../../../src/core/decide/decision.ts'
import { DEFAULT_RESUME } from '../../../src/core/decide/settings.ts'
import type { RepriseOptions } from '../../../src/index.ts'
import { type AgentSdk, claudeCode, createReprise } from '../../../src/index.ts'
import type { PieceStore } from '../../../src/store/contract/pieces.ts'
import { createHold, type FakeRunner } from '../../../src/testing/index.ts'
import { filePieces } from '../../../src/vault/file-pieces.ts'
import { type ChosenStore, chosenStore } from '../../postgres/chosen-store.ts'
import { type Act, createGate, type Gate } from './acts.ts'
import { inProcessRunner } from './in-process-runner.ts'
import { fakeModel, type Model, realModel } from './model.ts'
import { isReal, type Kind, ProgramDirectory, type Transport, type Variant } from './program.ts'

export type Reopened = Partial<
  Pick<RepriseOptions, 'resume' | 'environment' | 'limits' | 'questions'>
> & {
  readonly program?: Variant
  /** Set for the agent, over all else. */
  readonly agentEnv?: Readonly<Record<string, string>>
  /** The agent chooses its model. */
  readonly ownModel?: boolean
  /** Another machine: it has a data directory and a home of its own, and shares the store. */
  readonly host?: string
}

/** Prices in the scenarios are those of this model. */
const USUAL_MODEL = 'claude-sonnet-4-5'

export type HarnessOptions = {
  readonly transport?: Transport
  readonly store?: (file: string) => Promise<ChosenStore>
  /** The form of a replay; absent: as by default. */
  readonly replay?: ReplayForm['form']
}

type Opened = Pick<
  Harness,
  'transport' | 'replay' | 'root' | 'model' | 'programs' | 'runner' | 'store'
>

export class Harness {
  readonly kind: Kind
  readonly transport: Transport
  readonly replay: ReplayForm['form']
  readonly root: string
  readonly workDir: string
  readonly model: Model
  readonly programs: ProgramDirectory
  /** `null` when the agents are programs. */
  readonly runner: FakeRunner | null
  readonly store: ChosenStore
  reprise: Reprise
  #gates = 0

  constructor(opened: Opened & Pick<Harness, 'kind' | 'reprise'>) {
    this.kind = opened.kind
    this.transport = opened.transport
    this.replay = opened.replay
    this.root = opened.root
    this.workDir = join(opened.root, 'project')
    this.model = opened.model
    this.programs = opened.programs
    this.runner = opened.runner
    this.store = opened.store
    this.reprise = opened.reprise
  }

  /** What the agent learns about its world. */
  get agentEnv(): Readonly<Record<string, string>> {
    return environmentOf(this)
  }

  path(name: string): string {
    return join(this.root, name)
  }

  thread(options: { readonly view?: View } = {}): Promise<Thread> {
    return this.reprise.threads.create({ workDir: this.workDir, ...options })
  }

  /** One turn to its end; `acts` is what the model does in it. */
  async turn(
    thread: Thread,
    prompt: string,
    { acts, ...options }: TurnOptions & { readonly acts?: readonly Act[] } = {},
  ): Promise<TurnResult> {
    if (acts) this.model.plan(acts)
    return thread.send(prompt, options).result
  }

  gate(): Gate {
    this.#gates += 1
    return createGate(createHold(), this.path(`gate-${this.#gates}`))
  }

  saw({ run }: { readonly run: { readonly id: string } }): Promise<readonly string[]> {
    return this.model.saw(run.id)
  }

  /** Arguments of the start of a run; empty when no program was started for it. */
  argumentsOf({ run }: { readonly run: { readonly id: string } }): readonly string[] {
    return this.programs.starts().find(({ runId }) => runId === run.id)?.args ?? []
  }

  get spawns(): number {
    return this.programs.starts().length
  }

  /** Where the agent keeps a session. */
  sessionFile(sessionId: string): string {
    const projects = this.path('home/.claude/projects')
    const found = readdirSync(projects)
      .map(project => join(projects, project, `${sessionId}.jsonl`))
      .find(path => readdirSync(join(path, '..')).includes(`${sessionId}.jsonl`))
    if (found) return found
    throw new Error(`There is no file of session ${sessionId}`)
  }

  /** What Reprise itself has kept of session files goes too. */
  async loseCopies(): Promise<void> {
    await this.#withCopies(async pieces => {
      for (const { place } of await Array.fromAsync(pieces.all())) await pieces.remove(place)
    })
  }

  /** The sessions of which Reprise has a copy. */
  copies(): Promise<readonly string[]> {
    return this.#withCopies(async pieces => {
      const all = await Array.fromAsync(pieces.all())
      return all.flatMap(({ place }) => (place.shelf === 'sessions' ? [place.sessionId] : []))
    })
  }

  async #withCopies<T>(work: (pieces: PieceStore) => Promise<T>): Promise<T> {
    const store = await this.store.open()
    try {
      return await work(store.pieces ?? filePieces(this.path('data')))
    } finally {
      await store.close()
    }
  }

  /** As a new process would: what was in memory is gone. */
  async restart(options: Reopened = {}): Promise<void> {
    await this.reprise.close()
    this.reprise = await openReprise(this, options)
  }

  /** All that lives of a run. */
  processesOf(runId: string): readonly number[] {
    if (this.runner) return this.runner.running.includes(runId) ? [0] : []
    return processesWith(`REPRISE_RUN_ID=${runId}`)
  }

  async killAgent(runId: string): Promise<void> {
    if (this.runner) await this.runner.crash(runId)
    else process.kill(this.agentProcess(runId), 'SIGKILL')
  }

  agentProcess(runId: string): number {
    const found = this.processesOf(runId).find(pid => readProc(pid, 'cmdline').includes('--print'))
    if (found) return found
    throw new Error(`No agent is running for run ${runId}`)
  }

  async close(): Promise<void> {
    await this.reprise.close()
    await this.model.close()
    await this.store.drop()
    const left = this.runner ? [] : processesWith(`SCENARIO=${this.root}`)
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 })
    if (left.length > 0) throw new Error(`Processes were left behind: ${left.join(', ')}`)
  }
}

export async function createHarness(
  kind: Kind,
  {
    transport = 'cli',
    store: open = chosenStore,
    replay = DEFAULT_RESUME.replay,
  }: HarnessOptions = {},
): Promise<Harness> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-scenario-')))
  mkdirSync(join(root, 'project'))
  mkdirSync(join(root, 'home'))
  const runner = kind === 'in-process' ? inProcessRunner(root) : null
  const model = isReal(kind) ? await realModel(root) : fakeModel(root, runner)
  const programs = new ProgramDirectory(root, kind)
  const store = await open(join(root, 'reprise.db'))
  const opened = { transport, replay, root, model, programs, runner, store }
  return new Harness({ ...opened, kind, reprise: await openReprise(opened, {}) })
}

function environmentOf({ root, model }: Pick<Opened, 'root' | 'model'>) {
  const config = { CLAUDE_CONFIG_DIR: join(root, 'home/.claude'), SCENARIO: root }
  return { ...model.env, ...config }
}

async function openReprise(
  { transport, replay, root, model, programs, runner, store }: Opened,
  {
    program = 'usual',
    environment = {},
    agentEnv = {},
    ownModel = false,
    host,
    resume,
    ...options
  }: Reopened,
): Promise<Reprise> {
  const executable = await programs.path(program)
  const own = host === undefined ? {} : { CLAUDE_CONFIG_DIR: join(root, `home-${host}`, '.claude') }
  const env = { ...environmentOf({ root, model }), ...own, ...agentEnv }
  const sdk = transport === 'sdk' ? await agentSdk() : null
  const agent = { executable, env, ...(!ownModel && { model: USUAL_MODEL }), ...(sdk && { sdk }) }
  return createReprise({
    store: store.open,
    agents: [claudeCode(agent), claudeCode({ name: 'second', ...agent })],
    dataDir: join(root, host === undefined ? 'data' : `data-${host}`),
    ...(host !== undefined && { host }),
    environment: { PATH: process.env.PATH, ...environment },
    resume: { ...(replay !== DEFAULT_RESUME.replay && { replay }), ...resume },
    ...(runner && { dependencies: { runner } }),
    ...options,
  })
}

/** In a variable: its types are there only where the real agents are installed. */
const SDK_PACKAGE = '../../real-agents/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs'

export async function agentSdk(): Promise<AgentSdk> {
  return (await import(SDK_PACKAGE)) as AgentSdk
}

function processesWith(variable: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && readProc(pid, 'environ').includes(variable))
}

function readProc(pid: number, what: 'environ' | 'cmdline'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8').split('\0')
  } catch {
    // It has ended meanwhile, or belongs to somebody else: none of ours either way.
    return []
  }
}
