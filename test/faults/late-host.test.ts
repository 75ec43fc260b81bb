// J-10, I2: a host that has lost its thread to another one writes nothing that counts: no files, no session, no events.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { LocalReprise } from '../../src/api.ts'
import { postgres } from '../../src/index.ts'
import type { StoreWithWork } from '../../src/store/contract/store.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { bundledFakeAgent } from '../fake-agent.ts'
import { emptyStore, newDatabase, type TestDatabase } from '../postgres/shared.ts'
import { openHost } from '../scenarios/hosts/host.ts'

let database: TestDatabase
let root: string
let repository: string
let executable: string
let store: StoreWithWork
let open: LocalReprise[]

beforeAll(async () => {
  database = await newDatabase('store')
})
afterAll(() => database.drop())

beforeEach(async () => {
  await emptyStore(database)
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-late-')))
  executable = await bundledFakeAgent(join(root, 'bin'))
  store = await postgres(database.url)()
  open = []
  repository = join(root, 'origin')
  mkdirSync(repository)
  git('init', '--quiet', '--initial-branch=main')
  git('commit', '--quiet', '--allow-empty', '-m', 'first')
})
afterEach(async () => {
  for (const reprise of open) await reprise.close()
  await store.close()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

function git(...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: root }
  const who = ['-c', 'user.name=u', '-c', 'user.email=u@localhost']
  execFileSync('git', [...who, ...args], { cwd: repository, env, stdio: 'pipe' })
}

const script = (turns: FakeScript) =>
  writeFileSync(join(root, 'script.json'), JSON.stringify(turns))

function host(name: string, workers = 0): LocalReprise {
  const env = { FAKE_AGENT_SCRIPT: join(root, 'script.json') }
  const reprise = openHost({ root, name, database: database.url, executable, env, workers })
  open.push(reprise)
  return reprise
}

/** As another host does it when the lease has expired; its own lease expires at once, so the next host may take it. */
async function takeOver(runId: string): Promise<void> {
  const held = await store.holderOf(runId)
  const other = { host: 'elsewhere', pid: 1, startTime: '0' }
  if (held) expect(await store.takeOver(runId, held.owner, other, 1)).not.toBeNull()
}

const objectsOf = async (owner: string) =>
  (await store.pieces?.list({ shelf: 'objects', owner }))?.map(({ name }) => name)

test('J-10 I2 files that a host keeps after another one took over its thread never count, also if that one changed nothing', async () => {
  const reached = join(root, 'reached')
  script([
    {
      once: true,
      do: [
        { type: 'writeFile', path: 'late.txt', text: 'too late' },
        { type: 'waitForFile', path: join(root, 'never'), reached },
      ],
    },
    { do: [{ type: 'text', text: 'I looked' }] },
  ])
  const a = host('a')
  const { id } = await a.threads.create({ workspace: { repository } })
  const turn = (await a.threads.get(id)).send('begin')
  const ended = turn.result.catch((error: unknown) => error)
  const { runId } = await turn.submitted
  await expect.poll(() => existsSync(reached)).toBe(true)
  const { workDir = '' } = (await store.run(runId)) ?? {}
  expect(readFileSync(join(workDir, 'late.txt'), 'utf8')).toBe('too late')
  await takeOver(runId)
  // Its agent is stopped, and its end and its files are refused.
  expect(await ended).toMatchObject({ code: 'lease-lost' })
  expect(await objectsOf(id)).toEqual([])

  const there = await host('b').threads.get(id)
  const looked = await there.send('look').result
  expect(looked.run).toMatchObject({ status: 'completed', host: 'b' })
  expect(existsSync(join(looked.run.workDir, 'late.txt'))).toBe(false)
  expect((await store.run(runId))?.failure).toMatchObject({ class: 'supervisor-died' })
  // The first host moves its own files aside, and begins where the other one is.
  const back = await (await a.threads.get(id)).send('look').result
  expect(back.run).toMatchObject({ status: 'completed', host: 'a', workDir })
  expect(existsSync(join(workDir, 'late.txt'))).toBe(false)
  const [aside = ''] = readdirSync(dirname(workDir)).filter(name => /\.left-[0-9a-f]+$/.test(name))
  expect(readFileSync(join(dirname(workDir), aside, 'late.txt'), 'utf8')).toBe('too late')
  expect(await a.verify()).toEqual([])
})
