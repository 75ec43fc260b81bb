// Thread files of people who mean harm: nothing outside the staging directory changes, and nothing is left in it.
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { countOf } from '../../../test/counts.ts'
import { fc } from '../../../test/properties.ts'
import { HOSTILE_FILES } from '../../../test/thread-files/hostile-files.ts'
import {
  AGENT_ID,
  forge,
  lines,
  SESSION_RECORD,
  THEIR_KEY,
  THREAD,
  withList,
} from '../../../test/thread-files/sample-file.ts'
import { claudeCode, createReprise, type LocalReprise, sqlite } from '../../index.ts'
import { filePieces } from '../../vault/file-pieces.ts'
import { createVault } from '../../vault/vault.ts'

let root: string
let reprise: LocalReprise
let before: Readonly<Record<string, string>>

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-hostile-')))
  for (const name of ['data', 'project', 'home']) mkdirSync(join(root, name))
  const env = { CLAUDE_CONFIG_DIR: join(root, 'home') }
  reprise = createReprise({
    store: sqlite(':memory:'),
    agents: [claudeCode({ executable: join(root, 'nothing-here'), env })],
    dataDir: join(root, 'data'),
  })
  await reprise.threads.publicKey()
  mkdirSync(join(root, 'data/staging'))
  before = everything()
})
afterAll(async () => {
  await reprise.close()
  rmSync(root, { recursive: true })
})

const workDir = () => join(root, 'project')
const take = (file: Uint8Array) => reprise.threads.import(inPieces(file), { workDir: workDir() })

async function* inPieces(file: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += 65_000) yield file.subarray(at, at + 65_000)
}

/** Every file below the root, with its content. */
function everything(): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    names.map(entry => {
      const path = join(entry.parentPath, entry.name)
      return [path, entry.isFile() ? readFileSync(path, 'base64') : 'directory']
    }),
  )
}

describe('a hostile thread file', () => {
  afterEach(async () => {
    expect(everything()).toEqual(before)
    expect(await reprise.threads.count()).toBe(0)
    expect(await reprise.sessions.list()).toEqual([])
  })

  test('has forty ways and more', () => expect(HOSTILE_FILES.length).toBeGreaterThanOrEqual(40))

  test.each(HOSTILE_FILES)('S23 $name is refused and changes nothing', async ({ make, code }) => {
    const refused = { code: code ?? expect.stringMatching(/^(bad-input|too-large)$/) }
    await expect(take(await make())).rejects.toMatchObject(refused)
  })

  test('S24 with one changed bit, anywhere, is refused', async () => {
    const whole = forge()
    const ofHead = whole.subarray(0, whole.lastIndexOf('\n', 4_000)).length
    const place = fc.oneof(fc.nat(ofHead * 8), fc.nat(whole.length * 8 - 1))
    await fc.assert(
      fc.asyncProperty(place, async bit => {
        const changed = Buffer.from(whole)
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        await expect(take(changed)).rejects.toMatchObject({ code: 'bad-input' })
      }),
      { numRuns: countOf('REPRISE_FLIPS', { usual: 50, storm: 1_000 }) },
    )
  })
})

test('V-3 S23 what a file says about itself decides neither ids nor places nor rights, and its session file brings the conversation alone', async () => {
  const evil = '../../../../.ssh/authorized_keys'
  const sessions = [{ ...SESSION_RECORD, sessionId: evil, workDir: '/etc' }]
  const taken = await take(forge(withList('sessions', sessions)))
  expect(taken).toMatchObject({
    isNew: true,
    sessions: 1,
    imported: { signature: 'foreign', key: THEIR_KEY },
  })
  const thread = await (await reprise.threads.get(taken.threadId)).show()
  expect(thread).toMatchObject({
    workDir: workDir(),
    trust: null,
    sandbox: null,
    title: THREAD.title,
  })
  const text = JSON.stringify([thread.messages, thread.runs, thread.sessions])
  expect(text).not.toMatch(/_theirs|authorized_keys/)
  const [session] = thread.sessions
  const vault = createVault(filePieces(join(root, 'data')))
  const kept = await vault.read({ agent: 'claude-code', sessionId: session?.sessionId ?? '' })
  const copied = Buffer.from(kept ?? [])
    .toString()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(copied).toMatchObject([
    { uuid: 'u-1', sessionId: session?.sessionId },
    { uuid: 'a-1', sessionId: session?.sessionId },
  ])
  expect(Buffer.from(kept ?? []).includes(AGENT_ID)).toBe(false)
  expect(readdirSync(join(root, 'home'))).toEqual([])
  expect(readdirSync(join(root, 'data/staging'))).toEqual([])
  expect(await reprise.verify()).toEqual([])
})

test('V-3 a stream that fails is the error of the import, and leaves nothing', async () => {
  const missing = reprise.threads.import(createReadStream(join(root, 'nowhere')), {
    workDir: workDir(),
  })
  await expect(missing).rejects.toMatchObject({ code: 'ENOENT' })
  expect(readdirSync(join(root, 'data/staging'))).toEqual([])
})

test('V-3 an export that nobody reads leaves nothing', async () => {
  const { threadId } = await take(forge(withList('prompts', '')))
  const { content } = await reprise.threads.export(threadId)
  expect(readdirSync(join(root, 'data/staging'))).toHaveLength(1)
  await content[Symbol.asyncIterator]().return?.()
  expect(readdirSync(join(root, 'data/staging'))).toEqual([])
})

test('S24 an export of a thread that nobody has approved is not signed: to take it in again approves nothing', async () => {
  const { threadId } = await take(forge(withList('prompts', '')))
  const file = Buffer.concat(
    await Array.fromAsync((await reprise.threads.export(threadId)).content),
  )
  const again = await take(file)
  expect(again).toMatchObject({ isNew: true, imported: { signature: 'none', approvedAt: null } })
  await reprise.threads.approve(threadId)
  const signed = Buffer.concat(
    await Array.fromAsync((await reprise.threads.export(threadId)).content),
  )
  expect(await take(signed)).toMatchObject({ isNew: true, imported: { signature: 'own' } })
})

test('V-3 the same content comes in once; a key that is trusted later approves it', async () => {
  const file = forge(withList('prompts', lines([])))
  const first = await take(file)
  expect(await take(file)).toMatchObject({ threadId: first.threadId, isNew: false })
  const options = { workDir: workDir(), trustKey: THEIR_KEY }
  const trusted = await reprise.threads.import(inPieces(file), options)
  expect(trusted).toMatchObject({ threadId: first.threadId, isNew: false })
  expect(trusted.imported.approvedAt).not.toBeNull()
})

test('S24 a file of another key than the trusted one is refused, and so is one that nobody has signed', async () => {
  const trustKey = await reprise.threads.publicKey()
  const options = { workDir: workDir(), trustKey }
  for (const file of [forge(), forge(undefined, { signed: false })]) {
    await expect(reprise.threads.import(inPieces(file), options)).rejects.toMatchObject({
      code: 'conflict',
    })
  }
  const wrong = reprise.threads.import(inPieces(forge()), { ...options, trustKey: 'mine' })
  await expect(wrong).rejects.toMatchObject({ code: 'bad-input' })
})

test('S24 nobody can send to, change, copy or repair a thread before it is approved, and everybody can read and remove it', async () => {
  const { threadId } = await take(forge(undefined, { signed: false }))
  const thread = await reprise.threads.get(threadId)
  const { messages, sessions } = await thread.show()
  const [prompt] = messages
  const refused = {
    code: 'conflict',
    hint: expect.stringContaining(`reprise threads approve ${threadId}`),
  }
  for (const change of [
    () => thread.edit(prompt?.id ?? '', 'other'),
    () => thread.truncate(prompt?.id ?? ''),
    () => thread.select(prompt?.id ?? ''),
    () => thread.fork(),
  ]) {
    await expect(change()).rejects.toMatchObject(refused)
  }
  expect(sessions).toHaveLength(1)
  await reprise.threads.rename(threadId, 'read by me')
  await thread.remove()
  await expect(reprise.threads.approve(threadId)).rejects.toMatchObject({ code: 'not-found' })
})
