// Work in a repository goes on on another host: a job whose host was killed, a thread's next turn, a chain's next tier.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LocalReprise } from '../../../src/api.ts'
import { postgres } from '../../../src/index.ts'
import { createVault } from '../../../src/vault/vault.ts'
import { newDatabase, type TestDatabase } from '../../postgres/shared.ts'
import { heldBetweenTiers } from '../chains/chains.ts'
import { append, call, getStuck, say, verdict } from '../harness/acts.ts'
import { fakeModel, type Model, realModel } from '../harness/model.ts'
import { isReal, type Kind, ProgramDirectory } from '../harness/program.ts'
import { type HostPlace, homeOf, openHost } from './host.ts'

const PROGRAM = fileURLToPath(new URL('./host.ts', import.meta.url))
const TASK = 'rebuild the index of the library'

/** A call that makes a file in the work dir. */
const makes = (file: string) =>
  call('Bash', { command: `echo made > ${file}`, description: 'make a file' })

export function hostScenarios(kind: Kind): void {
  describe(`two hosts on one database, on ${kind}`, () => {
    let root: string
    let repository: string
    let database: TestDatabase
    let model: Model
    let executable: string
    let open: LocalReprise[]

    beforeEach(async () => {
      root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-hosts-')))
      repository = newRepository(root)
      database = await newDatabase()
      model = isReal(kind) ? await realModel(root) : fakeModel(root, null)
      executable = await new ProgramDirectory(root, kind).path('usual')
      open = []
    })
    afterEach(async () => {
      for (const reprise of open) await reprise.close()
      await model.close()
      await database.drop()
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    })

    const placeOf = (name: string, workers = 0): HostPlace => ({
      ...{ root, name, executable, workers },
      database: database.url,
      env: model.env,
    })
    const host = (name: string, workers = 0) => {
      const reprise = openHost(placeOf(name, workers))
      open.push(reprise)
      return reprise
    }
    /** The host is gone, with everything that was on it. */
    const lose = async (name: string, reprise?: LocalReprise) => {
      await reprise?.close()
      rmSync(homeOf({ root, name }), { recursive: true, force: true, maxRetries: 5 })
    }

    test('J-8 J-10 V-5 a job goes on in its session on another host when its host is killed in the middle of a call', async () => {
      const [effects, reached] = [join(root, 'effects'), join(root, 'reached')]
      model.plan([append(effects, 'done'), getStuck(reached)])
      const worker = spawn(process.execPath, [PROGRAM, JSON.stringify(placeOf('a', 1))], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(worker.stdout, 'data')
      const b = host('b')
      const { id } = await b.jobs.submit({
        prompt: TASK,
        workspace: { repository },
        allowedTools: ['Bash'],
        backoff: { firstMs: 20 },
      })
      await expect.poll(() => existsSync(reached), { timeout: 120_000 }).toBe(true)
      const [first] = (await b.jobs.get(id)).attempts
      expect(first).toMatchObject({ host: 'a' })
      await expect
        .poll(() => copyOf(database, first?.sessionId ?? ''), { timeout: 120_000 })
        .toContain(reached)
      model.plan([say('finished')])
      worker.kill('SIGKILL')
      await once(worker, 'exit')
      await lose('a')

      const job = await host('b', 1).jobs.wait(id)
      const second = job.attempts.at(-1)
      expect({ status: job.status, attempts: job.attempts.length }).toEqual({
        status: 'completed',
        attempts: 2,
      })
      expect(second).toMatchObject({
        host: 'b',
        sessionResumed: true,
        sessionId: first?.sessionId,
        workDir: join(homeOf({ root, name: 'b' }), 'data', 'workspaces', job.threadId),
      })
      const saw = (await model.saw(second?.id ?? '')).join('\n')
      expect(saw.split(TASK)).toHaveLength(2)
      expect(saw).toContain('The work on this task was interrupted')
      expect(await model.everything(second?.id ?? '')).toContain(effects)
      expect(readFileSync(effects, 'utf8')).toBe('done\n')
    })

    test('D-8 J-10 V-5 the next turn of a thread resumes its session on another host, with its files', async () => {
      model.plan([
        { ...makes('made.txt'), appends: { file: 'made.txt', line: 'made' } },
        say('made it'),
      ])
      const a = host('a')
      const { id } = await a.threads.create({ workspace: { repository } })
      const thread = await a.threads.get(id)
      const first = await thread.send('make a file', { allowedTools: ['Bash'] }).result
      expect(first.run).toMatchObject({ status: 'completed', host: 'a' })
      await lose('a', a)

      model.plan([say('I see it')])
      const there = await host('b').threads.get(id)
      const second = await there.send('look at the file').result
      expect(second.run).toMatchObject({
        status: 'completed',
        host: 'b',
        sessionId: first.run.sessionId,
        decision: { action: 'resume' },
      })
      expect(existsSync(join(second.run.workDir, 'made.txt'))).toBe(true)
      const saw = (await model.saw(second.run.id)).join('\n')
      expect(saw).toContain('make a file')
      expect(saw).toContain('made it')
    })

    test('E-3 J-10 V-5 the next tier of a chain continues on another host, with the files of the tier below', async () => {
      model.plan([
        { ...makes('found.txt'), appends: { file: 'found.txt', line: 'made' } },
        verdict('escalate', { reason: 'it is broken' }),
      ])
      const a = host('a')
      const started = { policy: heldBetweenTiers(), prompt: TASK, workspace: { repository } }
      const held = await a.chains.start(started).result
      expect(held.status).toBe('held')
      await lose('a', a)

      model.plan([verdict('resolved')])
      const done = await host('b').chains.approve(held.id).result
      expect(done.status).toBe('resolved')
      const last = done.runs.at(-1)
      expect(last).toMatchObject({ tier: 2, host: 'b', decision: { action: 'fork' } })
      expect(existsSync(join(last?.workDir ?? '', 'found.txt'))).toBe(true)
      expect((await model.saw(last?.id ?? '')).join('\n')).toContain(TASK)
    })
  })
}

function newRepository(root: string): string {
  const directory = join(root, 'origin')
  mkdirSync(directory)
  const env = { PATH: process.env.PATH, HOME: root }
  const who = ['-c', 'user.name=u', '-c', 'user.email=u@localhost']
  const git = (...args: string[]) =>
    execFileSync('git', [...who, ...args], { cwd: directory, env, stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(directory, 'a.txt'), 'one\n')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  return directory
}

/** What the database has of a session's file. */
async function copyOf({ url }: TestDatabase, sessionId: string): Promise<string> {
  const store = await postgres(url)()
  try {
    if (!store.pieces) throw new Error('the store keeps no pieces')
    const copy = await createVault(store.pieces).read({ agent: 'claude-code', sessionId })
    return copy === null ? '' : Buffer.from(copy).toString('utf8')
  } finally {
    await store.close()
  }
}
