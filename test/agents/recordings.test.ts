// The recordings of real agents are whole, and say nothing about the machine on which they were made.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createScrubber, scrubLine } from './scrub.ts'

const RECORDINGS = fileURLToPath(new URL('../recordings', import.meta.url))
const FOLDERS = readdirSync(RECORDINGS)
  // Those of Claude Code are older than the script that makes the others.
  .filter(agent => agent !== 'claude-code')
  .flatMap(agent => readdirSync(join(RECORDINGS, agent)).map(version => join(agent, version)))

describe.each(FOLDERS)('the recordings of %s', folder => {
  const read = (file: string) => readFileSync(join(RECORDINGS, folder, file), 'utf8')
  const files = readdirSync(join(RECORDINGS, folder))
  const streams = files.filter(file => file.endsWith('.jsonl') && !file.includes('.session.'))

  test('have a stream for every case, and a case for every stream', () => {
    const cases = Object.keys(JSON.parse(read('cases.json')))
    expect(streams.map(file => file.replace('.jsonl', '')).toSorted()).toEqual(cases.toSorted())
  })

  test('hold no path, port, time or id of the machine on which they were made', () => {
    for (const file of files)
      for (const line of read(file).split('\n')) expect(line).not.toMatch(OF_A_MACHINE)
  })

  test('are small', () => {
    for (const file of files) expect([file, read(file).length < 60_000]).toEqual([file, true])
  })
})

const OF_A_MACHINE =
  /(?<!\w)\/tmp\/|\/root\/|\/home\/(?!\.)\w+\/\.|127\.0\.0\.1:\d{2,}|202\d-(?!01-01)\d\d-\d\d/

test('a scrubbed line has the same ids for the same ids, and fixed paths, ports and times', () => {
  const scrub = createScrubber({ '/tmp/x/record-1': '/world' })
  const line = JSON.stringify({
    id: '01a1eb05-c637-7f02-8e30-c51f216ebb73',
    again: 'ses_e1f83eb74ffenRnWnAeDxZ0MDs and 01a1eb05-c637-7f02-8e30-c51f216ebb73',
    path: '/tmp/x/record-1/work on http://127.0.0.1:4711/v1',
    at: ['2026-11-17T19:56:46.135Z', 'a\n2026-11-17', 1_794_945_600_000],
    '/tmp/x/record-1': 'x'.repeat(400),
  })
  expect(JSON.parse(scrubLine(line, scrub))).toEqual({
    id: '00000000-0000-7000-8000-000000000001',
    again: 'ses_000000000002 and 00000000-0000-7000-8000-000000000001',
    path: '/world/work on http://127.0.0.1:1/v1',
    at: ['2026-01-01T00:00:00.000Z', 'a\n2026-01-01', 1_767_225_600_000],
    '/world': `${'x'.repeat(300)}…`,
  })
  expect(scrubLine('no JSON in /tmp/x/record-1', scrub)).toBe('no JSON in /world')
})
