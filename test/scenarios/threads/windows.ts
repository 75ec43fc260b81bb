// Scenarios of context windows: what is known of a model before its first run is what the agent reports after it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { quirksOf } from '../../../src/adapters/claude-code/quirks.ts'
import { contextWindow } from '../../../src/adapters/claude-code/windows.ts'
import type { Harness } from '../harness/harness.ts'
import type { RealVersion } from '../harness/program.ts'

type Environment = Readonly<Record<string, string>>
type Windows = Readonly<Record<string, number | null | undefined>>

const MODELS = [
  ...['opus', 'sonnet', 'haiku', 'fable', 'best', 'opusplan', 'opus[1m]', 'sonnet[1m]'],
  ...['claude-opus-4-5', 'claude-opus-4-6', 'claude-opus-4-7', 'claude-opus-4-8'],
  ...['claude-opus-4-8[1m]', 'claude-opus-5', 'claude-opus-5-5'],
  ...['claude-sonnet-4-5', 'claude-sonnet-4-6', 'claude-sonnet-5', 'claude-sonnet-5-5'],
  ...['claude-haiku-4-5', 'claude-haiku-4-5-20251001', 'claude-haiku-5-5', 'claude-fable-5'],
]

const ENVIRONMENTS: readonly Environment[] = [
  { ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-5' },
  { CLAUDE_CODE_DISABLE_1M_CONTEXT: '1' },
]

export function windowScenarios(world: () => Harness, version: RealVersion): void {
  const known = (models: readonly string[], env: Environment = {}): Windows => {
    const place = { runtime: { version, quirks: quirksOf(version) }, env }
    return Object.fromEntries(models.map(model => [model, contextWindow(model, place)]))
  }

  test.each(['opus', 'sonnet[1m]'])(
    'D-6 the window of %s is known before its first run, as that run reports it',
    async model => {
      const { run } = await world().turn(await world().thread(), 'hello', { model })
      expect(run.facts?.contextWindow).toBe(run.contextWindow)
      expect(run.contextWindow).toBe(known([model])[model])
    },
  )

  test('H-2 without a model in turn and config the agent’s own settings choose, and the session keeps that model', async () => {
    const settings = join(world().agentEnv.CLAUDE_CONFIG_DIR ?? '', 'settings.json')
    const choose = (model: string) => {
      mkdirSync(dirname(settings), { recursive: true })
      writeFileSync(settings, JSON.stringify({ model }))
    }
    await world().restart({ ownModel: true })
    choose('claude-haiku-4-5')
    const thread = await world().thread()
    const first = await world().turn(thread, 'one')
    choose('claude-opus-4-5')
    const second = await world().turn(thread, 'two')
    const other = await world().turn(await world().thread(), 'three')
    rmSync(settings)
    await world().restart({ ownModel: true, agentEnv: { ANTHROPIC_MODEL: 'claude-opus-4-6' } })
    const fromEnvironment = await world().turn(await world().thread(), 'four')
    expect(
      [first, second, other, fromEnvironment].map(({ run }) => [run.decision?.action, run.model]),
    ).toEqual([
      ['start', 'claude-haiku-4-5'],
      ['resume', 'claude-haiku-4-5'],
      ['start', 'claude-opus-4-5'],
      ['start', 'claude-opus-4-6'],
    ])
    expect(world().argumentsOf(first)).not.toContain('--model')
    expect(world().argumentsOf(second)).toContain('--model')
    await world().restart()
  })

  // One program is asked for one model after the other: to start it takes longer than its answer.
  test('D-6 the window of every model is known, as the agent itself reports it', async () => {
    const reported = await reportedWindows(world(), MODELS)
    expect(known(MODELS)).toEqual(reported)
    for (const window of Object.values(reported)) expect(window).toBeGreaterThan(0)
  })

  test.each(ENVIRONMENTS)('D-6 the window is known with %j too', async agentEnv => {
    const models = ['opus', 'opus[1m]', 'best']
    expect(known(models, agentEnv)).toEqual(await reportedWindows(world(), models, agentEnv))
    await world().restart({ agentEnv })
    const { run } = await world().turn(await world().thread(), 'hello', { model: 'best' })
    expect(run.facts?.contextWindow).toBe(known(['best'], agentEnv).best)
    await world().restart()
  })
}

async function reportedWindows(
  world: Harness,
  models: readonly string[],
  agentEnv: Environment = {},
): Promise<Windows> {
  const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']
  const agent = spawn(await world.programs.path('usual'), ['--print', ...streams], {
    cwd: world.workDir,
    env: { ...world.agentEnv, ...agentEnv },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]()
  const windows: Record<string, number | undefined> = {}
  for (const model of models) {
    const choice = { subtype: 'set_model', model }
    say(agent.stdin, { type: 'control_request', request_id: model, request: choice })
    say(agent.stdin, { type: 'user', message: { role: 'user', content: 'hello' } })
    windows[model] = await nextWindow(lines)
  }
  agent.stdin.end()
  await once(agent, 'close')
  return windows
}

function say(stdin: NodeJS.WritableStream, message: Readonly<Record<string, unknown>>): void {
  stdin.write(`${JSON.stringify(message)}\n`)
}

/** The window of the model that the next answer comes from. Its totals name all models of the process. */
async function nextWindow(lines: AsyncIterator<string>): Promise<number | undefined> {
  let model = ''
  for (;;) {
    const line = await lines.next()
    if (line.done) throw new Error('The agent ended before it answered')
    const event = JSON.parse(line.value)
    if (event.subtype === 'init') model = event.model
    if (event.type === 'result') return event.modelUsage[model]?.contextWindow
  }
}
