// V-3: a process that takes in a thread file is killed with SIGKILL at each of its steps; nothing half-imported is left.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { claudeCode, createReprise, sqlite } from '../../src/index.ts'
import { forge } from '../thread-files/sample-file.ts'

const PROGRAM = fileURLToPath(new URL('import-program.ts', import.meta.url))
const root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-kill-import-')))
const children: ChildProcess[] = []

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

test.each([
  { place: 'while the file is read', stored: false },
  { place: 'before the transaction', stored: false },
  { place: 'in the transaction', stored: false },
  { place: 'after the transaction', stored: true },
])(
  'V-3 S23 an import that is killed $place leaves all of the thread or nothing of it',
  async ({ place, stored }) => {
    const home = mkdtempSync(join(root, 'home-'))
    const at = (name: string) => join(home, name)
    for (const name of ['data', 'project']) mkdirSync(at(name))
    writeFileSync(at('theirs.reprise'), forge())
    await killedAt(place, [at('data/reprise.db'), at('data'), at('theirs.reprise'), at('project')])
    expect(readdirSync(at('data/staging'))).toHaveLength(1)

    const reprise = createReprise({
      store: sqlite(at('data/reprise.db')),
      agents: [claudeCode({ executable: '/nothing/here', env: {} })],
      dataDir: at('data'),
    })
    try {
      expect(await reprise.threads.count()).toBe(stored ? 1 : 0)
      expect(await reprise.sessions.list()).toHaveLength(stored ? 1 : 0)
      expect(await reprise.verify()).toEqual([])
      expect(readdirSync(at('data/staging'))).toEqual([])
      expect(copiesIn(at('data/vault'))).toBe(stored ? 1 : 0)
      const again = await reprise.threads.import(whole(), { workDir: at('project') })
      expect(again).toMatchObject({ isNew: !stored, messages: 2, runs: 1, sessions: 1 })
      expect(await reprise.runs.events((await reprise.runs.list())[0]?.id ?? '')).toHaveLength(1)
      expect(copiesIn(at('data/vault'))).toBe(1)
      expect(await reprise.threads.count()).toBe(1)
    } finally {
      await reprise.close()
    }
  },
)

async function* whole(): AsyncGenerator<Uint8Array> {
  yield forge()
}

function copiesIn(vault: string): number {
  try {
    return readdirSync(vault, { recursive: true }).filter(name => String(name).endsWith('.gz'))
      .length
  } catch {
    return 0 // Nothing was ever put there.
  }
}

async function killedAt(place: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const ended = once(child, 'exit')
  const [said] = await Promise.race([once(child.stdout, 'data'), ended])
  expect(String(said)).toBe('here\n')
  child.kill('SIGKILL')
  await ended
}
