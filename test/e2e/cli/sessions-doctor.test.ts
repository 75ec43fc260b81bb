// `reprise sessions doctor` as a person runs it: what it says about a damaged file, the repaired copy, and its exit codes.
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { builtFakeAgent } from '../../fake-agent.ts'
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
  expect(repaired.out).toMatch(/proof: version \S+ of the agent resumed the copy/)
  expect(readFileSync(file, 'utf8')).toBe(damaged)
  const next = await world.json(['send', '-t', threadId, 'three'])
  expect(next.run).toMatchObject({ sessionResumed: true, status: 'completed' })
  expect(next.run.sessionId).not.toBe(run.sessionId)
  expect(readFileSync(file, 'utf8')).toBe(damaged)
})

test('V-2 --json has the proof of a repaired copy; of an agent that cannot be asked it says why there is none', async () => {
  const { run } = await world.json(['send', 'one'])
  const [session] = await world.list(['sessions'])
  appendFileSync(sessionFile(run.sessionId ?? ''), 'null\n')
  const proven = await doctor(session?.id ?? '', '--repair', '--json')
  expect(JSON.parse(proven.out).repaired.proof).toEqual({
    state: 'resumed',
    version: expect.stringMatching(/^2\.1\./),
  })
  // Reprise does not know what such a version does.
  const executable = await builtFakeAgent(world.root, { name: 'old-agent', version: '2.0.0' })
  world.config({ agents: { 'claude-code': { executable, env: world.agentEnv } } })
  const unasked = await doctor(session?.id ?? '', '--repair')
  expect(unasked.code).toBe(0)
  expect(unasked.out).toContain('proof: none, because nobody knows how claude-code 2.0.0 answers')
})

test('V-2 a program that refuses the repaired copy ends the repair with 1, and no copy is left', async () => {
  const { run } = await world.json(['send', 'one'])
  const [session] = await world.list(['sessions'])
  const file = sessionFile(run.sessionId ?? '')
  appendFileSync(file, 'null\n')
  const before = readdirSync(dirname(file))
  const refusing = world.path('refusing')
  const text = readFileSync(world.executable, 'utf8').replace(
    '\n',
    `\nif [ "$1" = --print ]; then echo 'no such session' >&2; exit 1; fi\n`,
  )
  writeFileSync(refusing, text, { mode: 0o755 })
  world.config({
    agents: { 'claude-code': { executable: refusing, env: world.agentEnv } },
  })
  const { code, out, err } = await doctor(session?.id ?? '', '--repair')
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/does not resume the repaired copy of session ses_\w+: .*no such session/)
  expect(err).toContain('The copy is removed and the file is as it was')
  expect(readdirSync(dirname(file))).toEqual(before)
})

test('V-2 a work dir that is gone says nothing about the copy: the repair stands, without a proof', async () => {
  const gone = world.path('gone')
  mkdirSync(gone)
  const { run } = await world.json(['send', '--cwd', gone, 'one'])
  const [session] = await world.list(['sessions'])
  const file = sessionFile(run.sessionId ?? '')
  appendFileSync(file, 'null\n')
  rmSync(gone, { recursive: true })
  const { code, out } = await doctor(session?.id ?? '', '--repair')
  expect([code, out]).toEqual([0, expect.stringMatching(/proof: none, because .*gone/)])
  expect(readdirSync(dirname(file))).toHaveLength(2)
})

test('V-2 --repair needs a session', async () => {
  const { code, err } = await doctor('--repair')
  expect([code, err]).toEqual([2, expect.stringContaining('needs the id of a session')])
})
