import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorld, ended } from './cli-world.ts'

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open()
})
afterEach(() => world.close())

async function startHanging(args: readonly string[]) {
  const reached = world.path('reached')
  const release = world.path('release')
  world.script([
    {
      when: 'wait',
      do: [
        { type: 'text', text: 'so far' },
        { type: 'waitForFile', path: release, reached },
      ],
    },
  ])
  const child = world.start(args)
  child.stdin?.end()
  const end = ended(child)
  await appears(reached)
  return { child, end, release }
}

async function appears(path: string): Promise<void> {
  for (let tries = 0; tries < 500 && !existsSync(path); tries++) await sleep(20)
  if (!existsSync(path)) throw new Error(`${path} did not appear`)
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'U-3 %s cancels the turn, keeps the record, exit 5',
  async signal => {
    const { child, end } = await startHanging(['send', '--json', 'wait'])
    child.kill(signal)
    const { code, out } = await end
    expect(code).toBe(5)
    const { run, threadId } = JSON.parse(out)
    expect(run.status).toBe('cancelled')
    const { messages } = await world.json(['threads', 'show', threadId])
    expect(messages[0]?.text).toBe('wait')
    world.script([])
    const next = await world.json(['send', '-t', threadId, 'next'])
    expect(next).toMatchObject({ text: 'echo: next', run: { status: 'completed' } })
  },
)

test('runs cancel ends a run of another process', async () => {
  const { end } = await startHanging(['send', 'wait'])
  const [run] = await world.list(['runs', '--status', 'running'])
  const id = run?.id ?? ''
  await world.json(['runs', 'cancel', id])
  expect((await end).code).toBe(5)
  expect(await world.json(['runs', 'show', id])).toMatchObject({ status: 'cancelled' })
})

test('two sends on one thread: with --no-wait the second is exit 4, without it waits its turn', async () => {
  const { threadId } = await world.json(['send', 'one'])
  const { end, release } = await startHanging(['send', '-t', threadId, 'wait'])
  const refused = await world.run(['send', '-t', threadId, '--no-wait', 'two'])
  expect(refused.code).toBe(4)
  const queued = world.run(['send', '-t', threadId, 'three'])
  writeFileSync(release, '')
  expect((await end).code).toBe(0)
  expect(await queued).toMatchObject({ code: 0, out: 'echo: three\n' })
})

test('a reader that leaves early is no error', async () => {
  world.script([{ do: [{ type: 'text', text: 'line\n'.repeat(100_000) }] }])
  const child = world.start(['send', 'hello'])
  child.stdin?.end()
  child.stdout?.once('data', () => child.stdout?.destroy())
  let err = ''
  child.stderr?.on('data', text => {
    err += text
  })
  const code = await new Promise(resolve => child.once('exit', resolve))
  expect(code).toBe(0)
  expect(err).not.toContain('EPIPE')
  expect(await world.list(['runs', '--status', 'completed'])).toHaveLength(1)
})
