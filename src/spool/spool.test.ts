import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Spool } from './spool.ts'

const OWNER = { host: 'here', pid: 1, startTime: 'now' }
const RUN = { runId: 'run_1', lease: { threadId: 'thr_1', token: 3, owner: OWNER } }
const EVENT = { at: 1, type: 'text', json: '{}' } as const

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-spool-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

test('I1 the next process finds whole batches, and no part of one that was cut off', () => {
  const spool = new Spool(directory)
  const file = spool.open(RUN)
  file.add([EVENT])
  file.leave()
  writeFileSync(join(directory, 'run_1.jsonl'), '[{"at":2,', { flag: 'a' })
  expect(spool.left('run_1')).toMatchObject({ ...RUN, events: [EVENT] })
})

test('I1 a file without its first line holds nothing, and does not keep the run from ending', () => {
  for (const text of ['', '{"runId":']) {
    writeFileSync(join(directory, 'run_1.jsonl'), text)
    expect(new Spool(directory).left('run_1')).toBeNull()
  }
})

test('I1 a kept-out file that is damaged is named all the same, without its reason', () => {
  const spool = new Spool(directory)
  const file = spool.open(RUN)
  file.keepOut('another process has taken over the run')
  writeFileSync(join(directory, 'run_2.kept-out'), '{"keptO')
  expect(spool.keptOut().toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: join(directory, 'run_1.kept-out'), reason: 'another process has taken over the run' },
    {
      path: join(directory, 'run_2.kept-out'),
      reason: 'the file is damaged, so the reason is not known',
    },
  ])
})

test('U-4 a full disk takes no events and costs no file descriptor, however often it is tried', () => {
  symlinkSync('/dev/full', join(directory, 'run_1.jsonl'))
  const spool = new Spool(directory)
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  for (let times = 0; times < 5; times += 1) expect(() => spool.open(RUN)).toThrow('ENOSPC')
  expect(open()).toBe(before)
})
