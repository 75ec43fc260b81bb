// Threads that leave and enter as one file over HTTP, through a real daemon and the client of the library.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../../src/daemon/contract/scope.ts'
import { createToken } from '../../../src/daemon/process/token-records.ts'
import { type Daemon, startDaemon } from '../../../src/daemon/server.ts'
import { connectReprise, type Reprise } from '../../../src/index.ts'
import { forge, THEIR_KEY } from '../../thread-files/sample-file.ts'
import { httpWorld } from './http-world.ts'

const home = mkdtempSync(join(tmpdir(), 'reprise-files-'))
let daemon: Daemon
/** An agent without a sandbox could have this token. */
let ofDataDirectory: string
let remote: Reprise

beforeAll(async () => {
  const { reprise } = await httpWorld()
  const logTo = 'file' as const
  const listens = { host: '127.0.0.1', port: 0, logTo, version: '0.0.0-test' }
  daemon = await startDaemon({ home, open: () => reprise, ...listens })
  ofDataDirectory = readFileSync(join(home, 'token'), 'utf8').trim()
  remote = connectReprise({ url: daemon.url, token: tokenFor(...SCOPES) })
})
afterAll(async () => {
  await remote.close()
  await daemon.stop()
  rmSync(home, { recursive: true })
})

const WORK_DIR = { workDir: '/project' }
const FILE = 'application/octet-stream'

function tokenFor(...scopes: readonly Scope[]): string {
  return createToken(home, { label: 'a test', scopes }).token
}

async function* pieces(...bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes
}

async function statusOf(
  token: string,
  path: string,
  sent?: { readonly body: string | Uint8Array<ArrayBuffer>; readonly type: string },
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, ...(sent && { 'content-type': sent.type }) }
  const asked = { headers, ...(sent && { method: 'POST', body: sent.body }) }
  const response = await fetch(`${daemon.url}${path}`, asked)
  await response.arrayBuffer()
  return response.status
}

test('V-3 U-4 a thread goes out and comes in again through the client, as a file of this store', async () => {
  const thread = await remote.threads.create(WORK_DIR)
  await thread.send('one').result
  const { bytes, content } = await remote.threads.export(thread.id)
  const file = await Array.fromAsync(content)
  expect(Buffer.concat(file).length).toBe(bytes)
  const taken = await remote.threads.import(pieces(...file), WORK_DIR)
  expect(taken).toMatchObject({ isNew: true, messages: 2, runs: 1, imported: { signature: 'own' } })
  expect(taken.imported.key).toBe(await remote.threads.publicKey())
  const copy = await remote.threads.get(taken.threadId)
  expect((await copy.send('two').result).text).toBe('echo: two')
})

test('S24 a file of somebody else is data until a person approves it: the token of the data directory is not enough', async () => {
  const { threadId, imported } = await remote.threads.import(pieces(forge()), WORK_DIR)
  expect(imported).toMatchObject({ signature: 'foreign', approvedAt: null })
  const thread = await remote.threads.get(threadId)
  await expect(thread.send('go on').result).rejects.toMatchObject({ code: 'conflict' })
  const path = `/api/threads/${threadId}/approve`
  const empty = { body: '{}', type: 'application/json' }
  expect(await statusOf(ofDataDirectory, path, empty)).toBe(403)
  expect(await statusOf(tokenFor('read', 'submit'), path, empty)).toBe(403)
  const approved = await remote.threads.approve(threadId)
  expect(approved.imported?.approvedAt).not.toBeNull()
  expect((await thread.send('go on').result).run.status).toBe('completed')
})

test('S24 to trust a key, a caller needs the scope approve and must not be an agent', async () => {
  const path = `/api/threads/import?workDir=/project&trustKey=${encodeURIComponent(THEIR_KEY)}`
  const file = { body: new Uint8Array(forge()), type: FILE }
  expect(await statusOf(tokenFor('submit'), path, file)).toBe(403)
  expect(await statusOf(ofDataDirectory, path, file)).toBe(403)
  expect(await statusOf(tokenFor('submit', 'approve'), path, file)).toBe(201)
})

test('S9 only an admin takes out whole threads', async () => {
  const { id } = await remote.threads.create(WORK_DIR)
  const path = `/api/threads/${id}/file`
  expect(await statusOf(tokenFor('read', 'submit', 'approve'), path)).toBe(403)
  expect(await statusOf(tokenFor('admin'), path)).toBe(200)
})

test('S5 S27 other types of bodies are refused, and a large file that is none is refused after its first line', async () => {
  const path = '/api/threads/import?workDir=/project'
  for (const type of ['application/json', 'text/plain', 'multipart/form-data', `${FILE}; x=1`]) {
    const status = await statusOf(tokenFor('submit'), path, { body: new Uint8Array(forge()), type })
    expect([type, status]).toEqual([type, 415])
  }
  let sent = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; sent < 2_000; sent += 1) yield Buffer.alloc(1024 * 1024, 'a')
  }
  await expect(remote.threads.import(endless(), WORK_DIR)).rejects.toMatchObject({
    code: 'bad-input',
    message: expect.stringContaining('not a thread file'),
  })
  expect(sent).toBeLessThan(500)
})
