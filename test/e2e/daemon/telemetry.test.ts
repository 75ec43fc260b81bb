// Telemetry of real processes: the module of the example writes each span as a line, also when the daemon is killed.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectReprise } from '../../../src/client/connect.ts'
import { appears, eventually, ServeWorld } from './serve-world.ts'

const MODULE = fileURLToPath(new URL('../../../examples/telemetry.ts', import.meta.url))
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const TRACE = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`, tracestate: 'vendor=1' }

type Line = {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly attributes: Readonly<Record<string, unknown>>
}

class TracedWorld extends ServeWorld {
  override get env(): NodeJS.ProcessEnv {
    return { ...super.env, REPRISE_TELEMETRY_MODULE: MODULE, SPANS_FILE: this.path('spans') }
  }

  get spans(): readonly Line[] {
    if (!existsSync(this.path('spans'))) return []
    const lines = readFileSync(this.path('spans'), 'utf8').split('\n').slice(0, -1)
    return lines.map(line => JSON.parse(line) as Line)
  }

  /** Each span with its chain of parents, up to the one that is not ours. */
  get paths(): readonly string[] {
    const { spans } = this
    const pathOf = ({ name, parentId }: Line): string => {
      const parent = spans.find(({ spanId }) => spanId === parentId)
      return parent ? `${pathOf(parent)} > ${name}` : name
    }
    return spans.map(pathOf).toSorted()
  }
}

let world: TracedWorld
beforeEach(async () => {
  world = (await new TracedWorld().open()) as TracedWorld
})
afterEach(() => world.closeAll())

test('O-1 O-4 O-6 a job whose daemon is killed is one trace: its submission, the attempt that broke off, the one that followed', async () => {
  const reached = world.path('reached')
  const call = { type: 'tool', name: 'Bash', input: { command: 'make' }, result: 'made' } as const
  world.script([
    { when: 'resume', do: [{ type: 'text', text: 'done' }] },
    { do: [call, { type: 'waitForFile', path: world.path('never'), reached }] },
  ])
  const first = await world.serve(['--port', '0', '--workers', '1'])
  const sender = connectReprise({ url: first.url, token: world.approveToken, trace: TRACE })
  const wanted = { prompt: 'work', workDir: world.workDir, checkpoints: 'off' } as const
  const { id } = await sender.jobs.submit(wanted)
  await appears(reached)
  const [run] = (await sender.jobs.get(id)).attempts
  await eventually(async () =>
    (await sender.runs.events(run?.id ?? '')).some(({ type }) => type === 'tool-result'),
  )
  await sender.close()
  first.signal('SIGKILL')
  await first.end
  const second = await world.serve(['--port', '0', '--workers', '1'])
  const reader = world.connect(second)
  expect((await reader.jobs.wait(id)).status).toBe('completed')
  await reader.close()
  second.signal('SIGTERM')
  await second.end
  const attempt = 'submit job > attempt'
  expect(world.paths).toEqual([
    'submit job',
    attempt,
    attempt,
    `${attempt} > invoke_agent claude-code`,
    `${attempt} > invoke_agent claude-code`,
    `${attempt} > invoke_agent claude-code > execute_tool Bash`,
  ])
  expect(new Set(world.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]))
  const submission = world.spans.find(({ name }) => name === 'submit job')
  expect(submission?.parentId).toBe('b7ad6b7169203331')
  const failed = world.spans.filter(({ attributes }) => attributes['reprise.recovered'] === true)
  expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(['supervisor-died'])
})

test('O-5 O-6 O-7 a command belongs to the trace of its shell, with a daemon and without', async () => {
  const shell = { env: { TRACEPARENT: TRACE.traceparent, TRACESTATE: TRACE.tracestate } }
  expect(await world.run(['send', 'one'], shell)).toMatchObject({ code: 0 })
  const daemon = await world.serve()
  expect(await world.run(['send', 'two'], shell)).toMatchObject({ code: 0 })
  daemon.signal('SIGTERM')
  await daemon.end
  const run = 'turn > invoke_agent claude-code'
  expect(world.paths).toEqual(['turn', 'turn', run, run])
  const turns = world.spans.filter(({ name }) => name === 'turn')
  expect(turns.map(({ traceId, parentId }) => [traceId, parentId])).toEqual([
    [TRACE_ID, 'b7ad6b7169203331'],
    [TRACE_ID, 'b7ad6b7169203331'],
  ])
})
