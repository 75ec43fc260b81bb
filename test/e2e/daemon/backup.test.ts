// A backup is made while a turn runs, restored into another data directory as docs/backup.md says, and goes on there.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ThreadDetails } from '../../../src/api.ts'
import { appears, ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

const filesBeside = () => readdirSync(world.root).filter(name => name.startsWith('backup'))

test('a backup during a turn is the store at one moment: restored, it verifies and goes on; the turn itself goes on too', async () => {
  const reached = world.path('reached')
  const release = world.path('release')
  world.script([
    { when: 'wait', do: [{ type: 'waitForFile', path: release, reached }] },
    { do: [{ type: 'text', text: 'done' }] },
  ])
  const daemon = await world.serve()
  const { threadId } = await world.json(['send', 'first'])
  const reprise = world.connect(daemon)
  const turn = (await reprise.threads.get(threadId)).send('wait')
  const { runId } = await turn.submitted
  await appears(reached)

  const file = world.path('backup.tar.gz')
  const made = await world.here(['backup', file, '--json'])
  expect(JSON.parse(made.out)).toMatchObject({ file, ok: true, violations: [] })
  expect(made.code).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(filesBeside()).toEqual(['backup.tar.gz'])

  const restored = world.path('restored')
  mkdirSync(restored, { mode: 0o700 })
  execFileSync('tar', ['-xzf', file, '-C', restored])
  const there = (...args: string[]) => world.here(args, { env: { REPRISE_HOME: restored } })
  expect(JSON.parse((await there('verify', '--json')).out)).toEqual({ ok: true, violations: [] })
  const shown: ThreadDetails = JSON.parse((await there('threads', 'show', threadId, '--json')).out)
  expect(shown.messages.map(({ text }) => text).slice(0, 3)).toEqual(['first', 'done', 'wait'])
  expect(shown.runs.find(({ id }) => id === runId)?.status).toBe('interrupted')
  expect(existsSync(join(restored, 'token'))).toBe(false)

  // Nothing of this ended the turn that was going on.
  expect((await reprise.runs.get(runId)).status).toBe('running')
  writeFileSync(release, '')
  expect((await turn.result).text).toBe('echo: wait')
  // The agent's own files are lost: the copy in the backup brings the session back.
  rmSync(world.path('agent'), { recursive: true })
  const next = await there('send', '-t', threadId, 'next', '--json')
  expect(JSON.parse(next.out)).toMatchObject({ text: 'done', run: { status: 'completed' } })
  expect(JSON.parse((await there('verify', '--json')).out).ok).toBe(true)
  await reprise.close()
})

test('a backup replaces nothing, and leaves nothing behind when it cannot be made', async () => {
  const file = world.path('backup.tar')
  expect(await world.here(['backup', file])).toMatchObject({ code: 3 })
  await world.here(['send', 'hello'])
  writeFileSync(file, 'mine')
  const refused = await world.here(['backup', file])
  expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('exists') })
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect(await world.here(['backup', world.path('no/such/backup.tar')])).toMatchObject({
    code: 2,
  })
  expect(await world.here(['backup', join(world.home, 'backup.tar')])).toMatchObject({
    code: 2,
  })
  const database = new Database(join(world.home, 'reprise.db'))
  database.pragma('user_version = 9999')
  database.close()
  expect(await world.here(['backup', world.path('backup-2.tar')])).toMatchObject({ code: 2 })
  expect(filesBeside()).toEqual(['backup.tar'])
})

test('writers go on while the store is copied, and the copy holds what was there when it began', async () => {
  await world.here(['send', 'hello'])
  const writer = new Database(join(world.home, 'reprise.db'))
  writer.exec('create table filler (id integer primary key, text)')
  const insert = writer.prepare('insert into filler (text) values (?)')
  writer.transaction(() => {
    for (let row = 0; row < 3_000; row++) insert.run('x'.repeat(4_000))
  })()
  const { copyStore } = await import('../../../src/store/sqlite/copy-store.ts')
  const copy = world.path('backup.db')
  const steps: number[] = []
  await copyStore(join(world.home, 'reprise.db'), copy, ({ done }) => {
    steps.push(done)
    insert.run('written meanwhile')
  })
  expect(steps.length).toBeGreaterThan(1)
  const read = new Database(copy, { readonly: true })
  const count = read.prepare("select count(*) from filler where text = 'written meanwhile'").pluck()
  expect(count.get()).toBe(0)
  read.close()
  writer.close()
})

test('the unit for systemd is one that systemd accepts', async () => {
  const unit = new URL('../../../deploy/reprise.service', import.meta.url)
  const text = readFileSync(unit, 'utf8')
  expect(text).toContain('KillMode=mixed')
  const [, command = ''] = /^ExecStart=\/usr\/bin\/env reprise (.*)$/m.exec(text) ?? []
  const { buildProgram } = await import('../../../src/cli/start/program.ts')
  await buildProgram().parseAsync(command.split(' '), { from: 'user' })
  // Not every machine has systemd.
  if (!existsSync('/usr/bin/systemd-analyze')) return
  const env = { PATH: process.env.PATH, HOME: world.root, XDG_RUNTIME_DIR: world.root }
  execFileSync('systemd-analyze', ['--user', 'verify', unit.pathname], { env })
})
