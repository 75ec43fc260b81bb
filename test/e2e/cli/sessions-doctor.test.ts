// `reprise sessions doctor` as a person runs it: what it says about a damaged file, the repaired copy, and its exit codes.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open('with a store')
})
afterEach(() => world.close())

const doctor = (...args: readonly string[]) => world.here(['sessions', 'doctor', ...args])

function sessionFile(sessionId: string): string {
  const projects = world.path('agent/projects')
  const [project = ''] = readdirSync(projects)
  return join(projects, project, `${sessionId}.jsonl`)
}

test('V-2 a damaged session is found, repaired on a copy with its difference, and the next turn resumes the copy', async () => {
  const { threadId, run } = await world.json(['send', 'one'])
  await world.json(['send', '-t', threadId, 'two'])
  const [session] = await world.list(['sessions'])
  const id = session?.id ?? ''
  const sound = await doctor(id)
  expect([sound.code, sound.out]).toEqual([0, `${id}: its file is sound\n`])
  expect((await doctor()).code).toBe(0)

  const file = sessionFile(run.sessionId ?? '')
  const damaged = `${readFileSync(file, 'utf8')}null\n`
  writeFileSync(file, damaged)
  const copied = await doctor()
  expect([copied.code, copied.out]).toEqual([
    0,
    expect.stringContaining('our copy takes its place'),
  ])
  rmSync(join(world.home, 'vault'), { recursive: true })
  const alone = await doctor()
  expect([alone.code, alone.out]).toEqual([1, expect.stringContaining('there is no copy')])
  const found = await doctor(id)
  expect(found.code).toBe(1)
  expect(found.out).toContain(`reprise sessions doctor ${id} --repair`)

  const repaired = await doctor(id, '--repair')
  expect(repaired.code).toBe(0)
  expect(repaired.out).toMatch(
    /repaired on a copy: \d+ lines as they were, \d+ changed, 1 left out, 0 added/,
  )
  expect(repaired.out).toContain('The next turn of the thread goes on with it')
  expect(readFileSync(file, 'utf8')).toBe(damaged)
  const next = await world.json(['send', '-t', threadId, 'three'])
  expect(next.run).toMatchObject({ sessionResumed: true, status: 'completed' })
  expect(next.run.sessionId).not.toBe(run.sessionId)
  expect(readFileSync(file, 'utf8')).toBe(damaged)
})

test('V-2 --repair needs a session', async () => {
  const { code, err } = await doctor('--repair')
  expect([code, err]).toEqual([2, expect.stringContaining('needs the id of a session')])
})
