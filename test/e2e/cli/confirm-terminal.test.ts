// What is removed or overwritten is asked about on a terminal, and only there.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'
import { onTerminal } from './on-terminal.ts'

let world: CliWorld
beforeEach(async () => {
  world = await new CliWorld().open()
})
afterEach(() => world.close())

test('threads rm on a terminal removes after y; anything else removes nothing, exit 5', async () => {
  const { threadId } = await world.json(['send', '--title', 'release notes', 'hello'])
  const no = await onTerminal(world, `threads rm ${threadId}`, [['[y/N] ', '']])
  expect(no.code).toBe(5)
  expect(no.screen).toContain('Remove "release notes" with its 2 messages, for ever?')
  expect(no.screen).toContain('nothing was changed')
  expect((await world.json(['threads', 'show', threadId])).messages).toHaveLength(2)
  expect(await onTerminal(world, `threads rm ${threadId}`, [['[y/N] ', 'y']])).toMatchObject({
    code: 0,
    screen: expect.stringContaining(`removed ${threadId}`),
  })
  expect((await world.run(['threads', 'show', threadId])).code).toBe(3)
})

test('J-6 jobs restore says what it will overwrite, asks on a terminal, and not with --yes', async () => {
  execFileSync('git', ['init', '--quiet'], { cwd: world.workDir })
  const mine = join(world.workDir, 'mine.txt')
  const made = join(world.workDir, 'made.txt')
  world.script([{ do: [{ type: 'sideEffect', appendFile: made, line: 'made' }] }])
  writeFileSync(mine, 'mine\n')
  const { id } = await world.json(['jobs', 'submit', '--wait', 'build it'])
  writeFileSync(mine, 'changed\n')
  const preview = await world.run(['jobs', 'restore', id, '1', '--dry-run'])
  expect(preview).toMatchObject({ code: 0, out: 'remove made.txt\noverwrite mine.txt\n' })
  expect(preview.err).toContain('drops the last 2 messages')
  const no = await onTerminal(world, `jobs restore ${id} 1`, [['[y/N] ', 'n']])
  expect(no.code).toBe(5)
  expect(no.screen).toContain('  remove made.txt\n  overwrite mine.txt\n')
  expect(existsSync(made)).toBe(true)
  expect((await onTerminal(world, `jobs restore ${id} 1 --yes`, [])).code).toBe(0)
  expect(existsSync(made)).toBe(false)
})
