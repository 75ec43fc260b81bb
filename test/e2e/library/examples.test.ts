// The examples run as they stand, with the fake agent in the place of `claude`.
import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { builtFakeAgent } from '../../fake-agent.ts'

let root: string
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-example-')))
  writeFileSync(join(root, 'script'), '[]')
  symlinkSync(await builtFakeAgent(root), join(root, 'claude'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function run(name: string): Promise<string> {
  const file = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))
  const env = { PATH: `${root}:${process.env.PATH}`, HOME: root, TMPDIR: root }
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: root, env })
  return stdout
}

test('L-4 the example of an embedded agent asks twice in one session', async () => {
  expect(await run('embedded-agent.ts')).toBe(
    'new session: echo: Remember the number 7.\nsame session: echo: Which number was it?\n',
  )
})

test('J-5 the example of a durable job is one job, however often it is started', async () => {
  const first = await run('durable-job.ts')
  expect(first).toMatch(/^completed after 1 attempt\(s\): done\necho: /)
  expect(await run('durable-job.ts')).toBe(first)
})
