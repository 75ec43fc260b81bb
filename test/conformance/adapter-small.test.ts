// CONTRIBUTING's recipe for an adapter, tried: a small agent with a dialect of its own, in the conformance suite and under Reprise.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createReprise, sqlite } from '../../src/index.ts'
import { type AdapterCase, adapterConformance } from '../../src/testing/adapter-conformance.ts'
import { smallAgent } from '../agents/small-agent/adapter.ts'

const PROGRAM = fileURLToPath(new URL('../agents/small-agent/program.mjs', import.meta.url))
const recognised = smallAgent.recognise(['small-agent 1.0.0'])
if ('problem' in recognised) throw new Error(recognised.problem)
const CASE = {
  runtime: { ...recognised, agent: 'small', executable: 'small-agent', fingerprint: 'small' },
  continuation: { kind: 'new', sessionId: null },
} as const
const RESUME = { kind: 'resume', sessionId: 's1' } as const

const CASES: readonly AdapterCase[] = [
  {
    ...CASE,
    name: 'a turn',
    stream: 'session "s1"\ntext "Prompt 1: Go"\ndone {"tokens":10}',
    expected: { outcome: 'completed', sessionId: 's1', text: 'Prompt 1: Go' },
  },
  {
    ...CASE,
    name: 'a resume',
    continuation: RESUME,
    stream: 'heard "Go"\nsession "s1"\ntext "Prompt 2: On"\ndone {"tokens":20}',
    expected: { outcome: 'completed', sessionId: 's1', text: 'Prompt 2: On' },
  },
  {
    ...CASE,
    name: 'a session that it does not know',
    continuation: RESUME,
    stream: 'failed {"status":null,"why":"no such session"}',
    expected: { outcome: 'failed/resume-refused', sessionId: null, text: '' },
  },
  {
    ...CASE,
    name: 'an error of the API',
    stream: 'session "s1"\nfailed {"status":401,"why":"who are you?"}',
    expected: { outcome: 'failed/auth', sessionId: 's1', text: '' },
  },
]

await adapterConformance('the small agent', smallAgent, CASES)

test('A-1 A-2 an agent by the recipe resumes its session, and gets the transcript when it has lost it', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'small-')))
  const executable = join(root, 'small-agent')
  writeFileSync(executable, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
  chmodSync(executable, 0o755)
  mkdirSync(join(root, 'project'))
  const settings = { model: null, permissionMode: 'usual', passEnv: [], env: { HOME: root } }
  const reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    dataDir: join(root, 'data'),
    agents: [{ name: 'small', adapter: smallAgent, executable, ...settings }],
    environment: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  })
  const thread = await reprise.threads.create({ workDir: join(root, 'project') })
  const first = await thread.send('Remember BANANA').result
  expect([first.text, first.run.usage.inputTokens]).toEqual(['Prompt 1: Remember BANANA', 10])
  expect([first.run.costUsd, first.run.costSource]).toEqual([null, 'none'])
  const failing = await thread.send('[401]').result
  expect(failing.run.failure?.class).toBe('auth')
  const second = await thread.send('Which word?').result
  expect([second.run.decision?.action, second.run.sessionId]).toEqual([
    'resume',
    first.run.sessionId,
  ])
  expect(second.text).toContain('Prompt 2')
  const [session] = await reprise.sessions.list({ threadId: thread.id })
  expect(session?.evidence).toBe('protocol')
  rmSync(join(root, '.small-agent'), { recursive: true })
  const third = await thread.send('Still there?').result
  expect([third.run.status, third.run.decision?.action]).toEqual(['completed', 'replay'])
  expect(third.text).toContain('Remember BANANA')
  await reprise.close()
  rmSync(root, { recursive: true, force: true })
})
