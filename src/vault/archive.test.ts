import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createArchive } from './archive.ts'

const SESSION = { id: 'ses_1', agent: 'a', workDir: '/w', seen: [], createdAt: 1, lastMessageAt: 2 }

test('V-6 a sweep removes the archives of removed threads, and leaves all others as they are', async () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'archive-')), 'agent-sessions')
  const archive = createArchive(directory)
  await archive.sweep(async ids => ids)
  const put = (threadId: string) =>
    archive.put({
      session: { threadId, sessionId: `session-of-${threadId}`, ...SESSION } as never,
      messages: [],
      file: { name: 'session.jsonl', bytes: Buffer.from('private') },
    })
  const [kept, removed] = [await put('thr_kept'), await put('thr_removed')]
  const stranger = join(directory, 'notes')
  mkdirSync(stranger)
  writeFileSync(join(stranger, 'session.json'), '{ "threadId": "thr_removed" }')
  await archive.sweep(async ids => {
    expect(ids.toSorted()).toEqual(['thr_kept', 'thr_removed'])
    return ['thr_removed']
  })
  expect([kept, removed, stranger].map(path => existsSync(path))).toEqual([true, false, true])
})
