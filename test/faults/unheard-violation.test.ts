// E-5: a tool leaves its tier while nobody hears it. Who ends the run later finds it in the session file, and nobody can let it go on.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claudeCode, createReprise, sqlite } from '../../src/index.ts'
import type { ScriptStep } from '../../src/testing/fake-agent/script.ts'
import { appears } from '../e2e/daemon/serve-world.ts'
import { builtFakeAgent } from '../fake-agent.ts'

const PROGRAM = fileURLToPath(new URL('chain-program.ts', import.meta.url))
const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-unheard-')))
const file = (name: string) => join(root, name)
const env = {
  FAKE_AGENT_SCRIPT: file('script.json'),
  HOME: file('home'),
  CLAUDE_CONFIG_DIR: file('home/.claude'),
}

beforeAll(() => {
  for (const name of ['home', 'project']) mkdirSync(file(name))
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const STEPS: readonly ScriptStep[] = [
  { type: 'waitForFile', path: file('gate'), reached: file('reached') },
  { type: 'tool', name: 'Write', input: { file_path: 'x' }, result: 'written', denied: false },
  { type: 'waitForFile', path: file('never'), reached: file('written') },
]

test('E-5 a violation that only the session file shows ends the chain as one, and it cannot be continued', async () => {
  const executable = await builtFakeAgent(root)
  writeFileSync(env.FAKE_AGENT_SCRIPT, JSON.stringify([{ do: STEPS }]))
  const args = [file('reprise.db'), executable, file('project'), JSON.stringify(env), file('data')]
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'ignore' })
  const over = new Promise(resolve => child.on('exit', resolve))
  await appears(file('reached'))
  // It hears nothing from here on, and is never heard again.
  child.kill('SIGSTOP')
  writeFileSync(file('gate'), '')
  await appears(file('written'))
  child.kill('SIGKILL')
  await over
  const reprise = createReprise({
    store: sqlite(file('reprise.db')),
    agents: [claudeCode({ executable, env })],
    dataDir: file('data'),
  })
  const [chain] = await reprise.chains.list()
  expect(chain).toMatchObject({
    status: 'failed',
    because: { code: 'run-failed', class: 'policy-violation', toolsRan: 1 },
  })
  expect(chain?.runs[0]?.failure?.message).toContain('Write ran')
  const going = reprise.chains.continue(chain?.id ?? '').result
  await expect(going).rejects.toMatchObject({ code: 'conflict' })
  await reprise.close()
})
